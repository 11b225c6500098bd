/** What a cold move asks a person: beforehand, when it is held, and before it goes back from where nothing leads back. */
import type { NoticeDraft } from "../mailbox/notice.ts";
import { axisWords, differences } from "./fingerprint.ts";
import type { Active, Move } from "./move.ts";
import { hasPointOfNoReturn } from "./move.ts";

/** The approval: which formats move, who stops, and whether there is a way back. */
export function approvalNotice(move: Move): NoticeDraft {
  const { members, migration } = move;
  const moves = differences(move.from, move.to).map(
    (axis) => `${axisWords[axis]} ${move.from[axis]} → ${move.to[axis]}`,
  );
  const back = hasPointOfNoReturn(move)
    ? "; the event log moves, so that nothing leads back once it is migrated"
    : "; until it is done it can go back";
  return {
    about: "coldMove",
    subject: { kind: "fleet", name: move.fleet },
    reason: `${moves.join(", ")}: all ${members.length} agents stop, are switched and start again${back}`,
    evidence: { ...identityOf(move), migration: migration ?? "none", epoch: String(move.epoch) },
    choices: ["approve", "reject"],
  };
}

/** Held: go on, or back? What going back may lose is asked for by a notice of its own, once somebody wants to. */
export function heldNotice(move: Move, at: Active, why: string): NoticeDraft {
  return {
    about: "moveHeld",
    subject: { kind: "fleet", name: move.fleet },
    reason: `the move to new formats is held while ${wordsOf(at)}: ${why}`,
    evidence: { ...identityOf(move), ...momentOf(move, at), why },
    // What goes back already has no other way: who chose it would have decided nothing, and nobody would be asked again.
    choices: at.kind === "returning" ? ["goOn"] : ["goOn", "goBack"],
  };
}

export function noReturnNotice(move: Move, at: Active): NoticeDraft {
  return {
    about: "pointOfNoReturn",
    subject: { kind: "fleet", name: move.fleet },
    reason: "the event log may be migrated already: the old builds cannot read what was written since",
    evidence: { ...identityOf(move), ...momentOf(move, at) },
    choices: ["goBack", "goOn"],
  };
}

function identityOf({ id, members, from, to }: Move): Record<string, string> {
  const agents = members.map(({ agent, oldBuild, newBuild }) => `${agent} ${oldBuild} → ${newBuild}`);
  return { move: id, members: agents.join(", "), from: JSON.stringify(from), to: JSON.stringify(to) };
}

/** Held again for the same reason, it asks again: what was decided before has been used up. */
function momentOf({ decisions }: Move, at: Active): Record<string, string> {
  return { state: wordsOf(at), decisions: String(decisions.length) };
}

function wordsOf(at: Active): string {
  return at.kind === "returning" ? `going back (${at.phase})` : at.kind;
}
