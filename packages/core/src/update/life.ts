/** One agent's life with bundles: what it runs on, which bundle is on its way, what failed here. Plain data, persisted at each step. */
import type { Channel, Floor, OrderFault } from "./channel.ts";
import { bareFloor } from "./channel.ts";
import type { Axis, RuntimeTarget } from "./fingerprint.ts";
import type { TakesEffect, TakesPart } from "./plan.ts";
import type { Quarantined } from "./quarantine.ts";

/** Of the persisted form: a reader that does not know it stops. */
export const lifeFormat = 1;

/** A bundle whose signatures and order were verified here. */
export interface LifeBundle {
  /** Of its manifest. */
  readonly digest: string;
  readonly catalogHash: string;
  readonly sequence: number;
  readonly target: RuntimeTarget;
}

/** A bundle as it is offered: nothing of it is verified yet. */
export interface Offer {
  readonly digest: string;
  readonly catalogHash: string;
  readonly sequence: number;
  /** Ties the answer to the offer. */
  readonly nonce: string;
}

/** The build that runs, and how it takes part. Set anew at each start. */
export interface Run {
  readonly buildId: string;
  readonly target: RuntimeTarget;
  readonly takesPart: TakesPart;
  /** Turns that a trial wants, of an agent that tells them. */
  readonly turns: number;
  /** How long a process has to live on trial, in milliseconds. */
  readonly bakeMs: number;
  /** The declaration has a check that decides a trial. */
  readonly check: boolean;
}

/** Why a bundle is final for this build without ever having been used. */
export type RefusalReason =
  | OrderFault
  /** The manifest is for another runtime. */
  | "incompatible"
  /** Not enough good signatures. */
  | "signature"
  /** The content is not what the manifest says. */
  | "corrupt"
  /** It breaks the form of a bundle, or one of its limits. */
  | "malformed"
  /** The manifest is not what the offer says. */
  | "notAsOffered"
  /** The same content failed here before, under this build. */
  | "quarantined";

/** Why a bundle in use was taken back. */
export type RevertReason = "crash" | "reload" | "health";

interface Failure<R> {
  readonly reason: R;
  /** What was seen, for people; no end of a log, no secret. */
  readonly detail: string;
}

/** A refusal by its axis has the values. */
export type Refusal = Failure<RefusalReason> & {
  readonly axis?: Axis;
  readonly expected?: string | number;
  readonly actual?: string | number;
};
export type Revert = Failure<RevertReason>;

/** What passes by itself: tried again with back-off. `notNow`: the agent itself asked for time. */
export type DeferCause = "diskFull" | "timeout" | "unreachable" | "notNow";

/** What is there to do for a bundle on its way, and how often in a row it failed. */
interface OnItsWay {
  readonly tries: number;
}

/** Verified: from here on the agent's own build decides. */
interface Checked extends OnItsWay {
  readonly bundle: LifeBundle;
  readonly nonce: string;
  readonly takesEffect: TakesEffect;
}

/** A bundle on its way, in the state that it waits to leave. */
export type Step =
  | (OnItsWay & { readonly state: "offered" | "fetched"; readonly offer: Offer })
  | (Checked & { readonly state: "verified" })
  /** `switching`: the switch is decided and may have happened. `refusedTurns`: how often the agent said "not now". */
  | (Checked & { readonly state: "staged"; readonly switching: boolean; readonly refusedTurns: number });

export type Candidate = Step | Deferred;

/** Tried again from where it was. */
interface Deferred {
  readonly state: "deferred";
  readonly cause: DeferCause;
  readonly from: Step;
}

/** `unproven`: it lived for the bake time after a start, and that is all that is known. */
export interface Confirmed {
  readonly bundle: LifeBundle;
  readonly proof: "proven" | "unproven";
}

/** What has been seen of a trial. */
export interface Progress {
  readonly turns: number;
  readonly baked: boolean;
  readonly checked: boolean;
}

/** What the agent runs on, or would at its next start. */
export type Use =
  /** No catalog was ever assigned. */
  | { readonly kind: "none" }
  | ({ readonly kind: "confirmed" } & Confirmed)
  | {
      readonly kind: "trial";
      readonly bundle: LifeBundle;
      /** Null: it was assigned at a start, and nobody waits for the answer. */
      readonly nonce: string | null;
      readonly lastGood: Confirmed | null;
      readonly progress: Progress;
    }
  /** Brought back, once, on what was last confirmed; until that has lived for the bake time. */
  | { readonly kind: "returning"; readonly lastGood: Confirmed; readonly failed: LifeBundle; readonly why: Revert }
  /** The last known good failed as well, or there is none: only a start goes on from here. */
  | { readonly kind: "ended"; readonly lastGood: Confirmed | null; readonly failed: LifeBundle; readonly why: Revert };

export interface Life {
  readonly format: typeof lifeFormat;
  readonly channel: Channel;
  readonly floor: Floor;
  readonly run: Run;
  readonly use: Use;
  readonly next: Candidate | null;
  readonly quarantine: readonly Quarantined[];
}

/** A life that has not begun: its first event is a start. `floor` as stamped into the instance. */
export function newLife(channel: Channel, run: Run, floor: Floor = bareFloor): Life {
  return { format: lifeFormat, channel, floor, run, use: { kind: "none" }, next: null, quarantine: [] };
}

/** The bundle that is in use, on trial or not; null without any. */
export function inUse({ use }: Life): LifeBundle | null {
  switch (use.kind) {
    case "none":
      return null;
    case "confirmed":
    case "trial":
      return use.bundle;
    case "returning":
      return use.lastGood.bundle;
    case "ended":
      return use.lastGood?.bundle ?? null;
    default:
      return use satisfies never;
  }
}

/** What was last confirmed, which a newer bundle on trial never changes. */
export function lastGood({ use }: Life): Confirmed | null {
  switch (use.kind) {
    case "none":
      return null;
    case "confirmed":
      return { bundle: use.bundle, proof: use.proof };
    case "trial":
    case "returning":
    case "ended":
      return use.lastGood;
    default:
      return use satisfies never;
  }
}
