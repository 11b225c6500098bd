/** A cold move: the whole fleet from one format to another. What it pins, the states it goes through, and what is told and done. */
import type { NoticeDraft } from "../mailbox/notice.ts";
import type { Axis, RuntimeTarget } from "./fingerprint.ts";
import { differences, firstDifference } from "./fingerprint.ts";

export const moveFormat = 1;

/** The old pair of builds and catalog, or the new one. */
export type Side = "old" | "new";

/** An agent of the fleet, with its build before and after. */
export interface Member {
  readonly agent: string;
  readonly oldBuild: string;
  readonly newBuild: string;
}

/** On the way to the new formats, each left by what is told. */
type Forward =
  | { readonly kind: "proposed" }
  /** By a person: the fleet is being closed to every start. */
  | { readonly kind: "approved" }
  /** `cleared`: nothing is left over of the attempts from before the fleet was closed. Only a look after that counts. */
  | { readonly kind: "quiescing"; readonly cleared: boolean }
  /** Proven: nothing lives, and nothing that was begun can start. */
  | { readonly kind: "stopped" }
  /** The new pair is what a start would use; the migration is under way. */
  | { readonly kind: "switched" }
  /** `opening`: it was proven once more that nothing lives. */
  | { readonly kind: "migrated"; readonly opening: boolean }
  | { readonly kind: "starting" };

/** On the way back to the old ones: the fleet is closed anew, cleared of what is new, switched, opened and started. */
export interface Returning {
  readonly kind: "returning";
  readonly phase: "closing" | "clearing" | "switching" | "opening" | "starting";
  /** While clearing, that nothing is left over; while opening, that it was proven once more that nothing new lives. */
  readonly cleared: boolean;
  readonly outcome: "aborted" | "rolledBack";
}

export type Active = Forward | Returning;

type Ended =
  | { readonly kind: "done" }
  | { readonly kind: "aborted"; readonly why: string }
  | { readonly kind: "rolledBack" };

export type MoveState =
  | Active
  /** A deadline passed or a step failed: a person says whether to go on or back. */
  | { readonly kind: "held"; readonly at: Active; readonly why: string }
  | Ended;

export interface MoveDecision {
  readonly choice: "approve" | "reject" | "goOn" | "goBack" | "leave";
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** It pins members and formats, not the catalog hash: a newer bundle for the new formats may come meanwhile. */
export interface Move {
  readonly format: typeof moveFormat;
  readonly id: string;
  readonly fleet: string;
  readonly members: readonly Member[];
  readonly from: RuntimeTarget;
  readonly to: RuntimeTarget;
  /** The bundle for the new formats that was there when it was proposed; null for a fleet without a catalog. */
  readonly bundle: string | null;
  /** What moves the data, in words or as a command; null when there is nothing to do. */
  readonly migration: string | null;
  /** The fleet's epoch as this move last left it. */
  readonly epoch: number;
  /** A person has decided to go back from behind the point of no return. */
  readonly acrossNoReturn: boolean;
  readonly state: MoveState;
  readonly decisions: readonly MoveDecision[];
}

/** Who lives, by the formats of their builds. `unjudged`: nobody can tell whether it lives, or what it is. */
export interface Look {
  readonly old: readonly string[];
  readonly new: readonly string[];
  readonly unjudged: readonly string[];
  /** Secrets of attempts that no instance refers to, and instances that can never start, since their Secret is gone. */
  readonly leftovers: number;
}

export type MoveEvent =
  /** `members`: the fleet as it is at this moment. */
  | { readonly kind: "approve"; readonly by: string; readonly at: number; readonly members: readonly string[] }
  /** `leave`: going back is to end without what fails. */
  | { readonly kind: "reject" | "goOn" | "leave"; readonly by: string; readonly at: number }
  /** `acrossNoReturn`: decided with that in view. */
  | { readonly kind: "goBack"; readonly by: string; readonly at: number; readonly acrossNoReturn: boolean }
  /** The fleet has this epoch now, and no start is let in. */
  | { readonly kind: "closed"; readonly epoch: number }
  /** The fleet has this epoch now, and starts of this side are let in. */
  | { readonly kind: "opened"; readonly epoch: number; readonly side: Side }
  /** Somebody else has moved it. */
  | { readonly kind: "epochLost"; readonly epoch: number }
  | { readonly kind: "cleared" }
  | { readonly kind: "seen"; readonly look: Look }
  | { readonly kind: "switched"; readonly side: Side }
  | { readonly kind: "migrated" }
  | { readonly kind: "failed"; readonly why: string }
  /** `waitsFor`: what has not come about, for people. */
  | { readonly kind: "deadline"; readonly waitsFor?: string }
  /** The executor was killed, and another one goes on. */
  | { readonly kind: "resumed" };

/** Done after the move is persisted, in their order. Each may be done twice. */
export type MoveEffect =
  /**
   * No start of any format from here on. By compare-and-swap of the fleet's epoch: from this one, or from whatever this very
   * move has left it at; the new one is higher than both.
   */
  | { readonly kind: "close"; readonly epoch: number }
  /** Starts of this side, and no others, from here on. By the same comparison. */
  | { readonly kind: "open"; readonly epoch: number; readonly side: Side }
  /** Deletes the leftovers, each with its fence. */
  | { readonly kind: "clear" }
  /** Each by the graceful path. */
  | { readonly kind: "stop"; readonly sides: readonly Side[] }
  /** A most recent read of all that lives. */
  | { readonly kind: "look" }
  | { readonly kind: "switch"; readonly side: Side }
  | { readonly kind: "migrate"; readonly migration: string }
  | { readonly kind: "start"; readonly side: Side; readonly agents: readonly string[] }
  | { readonly kind: "notice"; readonly draft: NoticeDraft }
  /** To the journal. */
  | { readonly kind: "tell"; readonly state: MoveState["kind"]; readonly detail: string | null };

export interface Proposal {
  readonly id: string;
  readonly fleet: string;
  readonly epoch: number;
  readonly members: readonly Member[];
  readonly from: RuntimeTarget;
  readonly to: RuntimeTarget;
  /** A signed bundle for the new formats; `null` when the fleet has one and it is not there, `none` without a catalog. */
  readonly bundle: { readonly digest: string; readonly target: RuntimeTarget } | null | "none";
  readonly migration: string | null;
}

export type Proposed =
  | { readonly kind: "proposed"; readonly move: Move }
  /** No format moves: it needs no cold move. */
  | { readonly kind: "notCold" }
  | { readonly kind: "nobody" }
  | { readonly kind: "bundleMissing" }
  | { readonly kind: "bundleUnfit"; readonly axis: Axis };

/** All that it needs is there beforehand, or it is not proposed. Both targets have been checked. */
export function proposeMove({ bundle, ...proposal }: Proposal): Proposed {
  const { from, to, members } = proposal;
  if (firstDifference(from, to) === null) return { kind: "notCold" };
  if (members.length === 0) return { kind: "nobody" };
  if (bundle === null) return { kind: "bundleMissing" };
  if (bundle !== "none") {
    const axis = firstDifference(bundle.target, to);
    if (axis !== null) return { kind: "bundleUnfit", axis };
  }
  const move: Move = {
    ...proposal,
    format: moveFormat,
    bundle: bundle === "none" ? null : bundle.digest,
    acrossNoReturn: false,
    state: { kind: "proposed" },
    decisions: [],
  };
  return { kind: "proposed", move };
}

/** The build of a member that did not run when the move was proposed. */
export const noBuild = "none";

/** Nobody of the fleet ran when it was proposed: there is nobody to stop, and nobody to be started either. */
export function isAsleep({ members }: Pick<Move, "members">): boolean {
  return members.every(({ oldBuild }) => oldBuild === noBuild);
}

/** A person has decided that going back ends without what fails. */
export function isLeft({ decisions }: Pick<Move, "decisions">): boolean {
  return decisions.some(({ choice }) => choice === "leave");
}

/** Nothing comes after it. */
export function isEnd(state: MoveState): state is Ended {
  return state.kind === "done" || state.kind === "aborted" || state.kind === "rolledBack";
}

/** The event log moves: what was migrated cannot be read by the old builds. */
export function hasPointOfNoReturn({ from, to }: Move): boolean {
  return differences(from, to).includes("eventLogSchema");
}

/** Whether the data may have moved: from the moment that the migration is asked for. */
export function isPastNoReturn(move: Move, at: Active): boolean {
  if (!hasPointOfNoReturn(move)) return false;
  switch (at.kind) {
    case "proposed":
    case "approved":
    case "quiescing":
    case "stopped":
      return false;
    case "switched":
    case "migrated":
    case "starting":
      return true;
    case "returning":
      return at.outcome === "rolledBack";
    default:
      return at satisfies never;
  }
}

/** Whether going back from here wants a decision of its own, which nobody has taken yet. */
export function wantsOwnDecision(move: Move, at: Active): boolean {
  return isPastNoReturn(move, at) && !move.acrossNoReturn;
}
