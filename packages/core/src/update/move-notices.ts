/** What a cold move asks a person: beforehand, when it is held, and before it goes back from where nothing leads back. */
import type { NoticeDraft } from "../mailbox/notice.ts";
import type { RuntimeTarget } from "./fingerprint.ts";
import { axes, axisWords, differences } from "./fingerprint.ts";
import type { Active, Move, Returning } from "./move.ts";
import { hasPointOfNoReturn, isAsleep } from "./move.ts";

/** The approval: which formats move, who stops, and whether there is a way back. */
export function approvalNotice(move: Move): NoticeDraft {
  const { migration } = move;
  const moves = differences(move.from, move.to).map(
    (axis) => `${axisWords[axis]} ${move.from[axis]} → ${move.to[axis]}`,
  );
  const back = hasPointOfNoReturn(move)
    ? "; the event log moves, so that nothing leads back once it is migrated"
    : "; until it is done it can go back";
  return {
    about: "coldMove",
    subject: { kind: "fleet", name: move.fleet },
    reason: `${moves.join(", ")}: ${whatHappens(move)}${back}`,
    evidence: { ...identityOf(move), migration: migration ?? "none", epoch: String(move.epoch) },
    choices: ["approve", "reject"],
  };
}

function whatHappens(move: Move): string {
  const { length } = move.members;
  if (isAsleep(move)) return "nobody of the fleet runs, and nobody is started; it gets the new formats";
  return length === 1
    ? "the one agent stops, is switched and starts again"
    : `all ${length} agents stop, are switched and start again`;
}

/** Held: go on, or back? What going back may lose is asked for by a notice of its own, once somebody wants to. */
export function heldNotice(move: Move, at: Active, why: string): NoticeDraft {
  return {
    about: "moveHeld",
    subject: { kind: "fleet", name: move.fleet },
    reason: `the move to new formats is held while ${wordsOf(at)}: ${why}`,
    evidence: { ...identityOf(move), ...momentOf(move, at), why },
    choices: choicesOf(at),
  };
}

/** Each leads somewhere: who goes back already cannot turn round, and what makes nobody safe cannot be left out. */
function choicesOf(at: Active): NoticeDraft["choices"] {
  if (at.kind !== "returning") return ["goOn", "goBack"];
  return mayBeLeft(at) ? ["goOn", "leave"] : ["goOn"];
}

/** What is still to be done is for whoever starts: nothing else depends on it. */
export function mayBeLeft({ phase }: Returning): boolean {
  return phase === "switching" || phase === "starting";
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
  return { move: id, members: agents.join(", "), from: formatsIn(from), to: formatsIn(to) };
}

function formatsIn(target: RuntimeTarget): string {
  return axes.map((axis) => `${axisWords[axis]} ${target[axis]}`).join(", ");
}

/** Held again for the same reason, it asks again: what was decided before has been used up. */
function momentOf({ decisions }: Move, at: Active): Record<string, string> {
  return { state: wordsOf(at), decisions: String(decisions.length) };
}

function wordsOf(at: Active): string {
  return at.kind === "returning" ? `going back (${at.phase})` : at.kind;
}
