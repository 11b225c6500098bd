/** The cold move as a state machine: what is told gives the next move and what is to be done. Old and new never live at once. */
import type { Active, Look, Move, MoveDecision, MoveEffect, MoveEvent, MoveState, Returning, Side } from "./move.ts";
import { isAsleep, isLeft, wantsOwnDecision } from "./move.ts";
import { approvalNotice, heldNotice, mayBeLeft, noReturnNotice } from "./move-notices.ts";
import { moveTodo } from "./move-todo.ts";

export interface MoveStep {
  readonly move: Move;
  readonly effects: readonly MoveEffect[];
}

type Told<K extends MoveEvent["kind"]> = Extract<MoveEvent, { kind: K }>;

/**
 * The move is persisted before its effects are done, each of which may come twice. What does not fit its state, because it is
 * late, changes nothing.
 */
export function stepMove(move: Move, event: MoveEvent): MoveStep {
  const { state } = move;
  if (event.kind === "resumed") return { move, effects: todoOf(move) };
  switch (state.kind) {
    case "held":
      return decideHeld(move, state.at, event);
    case "done":
    case "aborted":
    case "rolledBack":
      return { move, effects: [] };
    case "returning":
      return stepActive(move, state, event) ?? stepBack(move, state, event);
    case "proposed":
      return decideProposed(move, event);
    case "approved":
    case "quiescing":
    case "stopped":
    case "switched":
    case "migrated":
    case "starting":
      return stepActive(move, state, event) ?? stepForward(move, state, event);
    default:
      return state satisfies never;
  }
}

/** What is to be done in this state, from the beginning. */
function todoOf(move: Move): MoveEffect[] {
  if (move.state.kind === "proposed") return [{ kind: "notice", draft: approvalNotice(move) }];
  if (move.state.kind === "held") return [{ kind: "notice", draft: heldNotice(move, move.state.at, move.state.why) }];
  return moveTodo(move);
}

function enter(move: Move, state: MoveState, detail: string | null = null): MoveStep {
  const after: Move = { ...move, state };
  return { move: after, effects: [{ kind: "tell", state: state.kind, detail }, ...todoOf(after)] };
}

function stay(move: Move, ...effects: readonly MoveEffect[]): MoveStep {
  return { move, effects };
}

function hold(move: Move, at: Active, why: string): MoveStep {
  return enter(move, { kind: "held", at, why }, why);
}

function recorded(move: Move, choice: MoveDecision["choice"], { by, at }: { by: string; at: number }): Move {
  return { ...move, decisions: [...move.decisions, { choice, by, at }] };
}

/** Nothing is done before a person has approved it, for exactly these members. */
function decideProposed(move: Move, event: MoveEvent): MoveStep {
  if (event.kind === "reject" || event.kind === "goBack")
    return enter(recorded(move, "reject", event), { kind: "aborted", why: "it was rejected" });
  if (event.kind !== "approve") return stay(move);
  const pinned = move.members.map(({ agent }) => agent);
  const same = pinned.length === event.members.length && pinned.every((agent) => event.members.includes(agent));
  if (!same)
    return enter(move, { kind: "aborted", why: "the fleet has other members now: it has to be proposed anew" });
  return enter(recorded(move, "approve", event), { kind: "approved" });
}

/** What holds in every state that does something; null when it is about the state itself. */
function stepActive(move: Move, state: Exclude<Active, { kind: "proposed" }>, event: MoveEvent): MoveStep | null {
  switch (event.kind) {
    case "deadline":
      return hold(move, state, `its deadline passed${event.waitsFor === undefined ? "" : `: ${event.waitsFor}`}`);
    case "failed":
      return hold(move, state, event.why);
    case "epochLost":
      // Whoever goes on closes it anew, whatever it is by then.
      if (state.kind === "returning")
        return hold(
          { ...move, epoch: Math.max(move.epoch, event.epoch) },
          { ...state, phase: "closing", cleared: false },
          `somebody else moved the fleet's epoch to ${event.epoch}`,
        );
      return state.kind === "approved"
        ? enter(move, { kind: "aborted", why: "somebody else moved the fleet's epoch meanwhile" })
        : hold(move, state, `somebody else moved the fleet's epoch to ${event.epoch}`);
    case "goBack":
      return state.kind === "returning" ? stay(move) : goBack(move, state, event);
    case "approve":
    case "reject":
    case "goOn":
    case "leave":
    case "resumed":
      return stay(move);
    case "closed":
    case "opened":
    case "cleared":
    case "seen":
    case "switched":
    case "migrated":
      return null;
    default:
      return event satisfies never;
  }
}

function decideHeld(move: Move, at: Active, event: MoveEvent): MoveStep {
  if (event.kind === "goOn") return enter(recorded(move, "goOn", event), at);
  // It is closed and cleared of what is new once more, since some of that may have come up meanwhile.
  if (event.kind === "leave" && at.kind === "returning" && mayBeLeft(at))
    return enter(recorded(move, "leave", event), { ...at, phase: "closing", cleared: false });
  return event.kind === "goBack" && at.kind !== "returning" ? goBack(move, at, event) : stay(move);
}

/** Back to the old pair. Behind the point of no return that is a decision of its own. */
function goBack(move: Move, at: Active, event: Told<"goBack">): MoveStep {
  if (wantsOwnDecision(move, at) && !event.acrossNoReturn)
    return stay(move, { kind: "notice", draft: noReturnNotice(move, at) });
  const after = { ...recorded(move, "goBack", event), acrossNoReturn: move.acrossNoReturn || event.acrossNoReturn };
  const switchedOver = at.kind === "switched" || at.kind === "migrated" || at.kind === "starting";
  const outcome = switchedOver ? "rolledBack" : "aborted";
  return enter(after, { kind: "returning", phase: "closing", cleared: false, outcome });
}

type OnTheWay = Exclude<Active, { kind: "proposed" } | Returning>;

function stepForward(move: Move, state: OnTheWay, event: MoveEvent): MoveStep {
  switch (state.kind) {
    case "approved":
      return event.kind === "closed" && event.epoch > move.epoch
        ? enter({ ...move, epoch: event.epoch }, { kind: "quiescing", cleared: false })
        : stay(move);
    case "quiescing":
      return quiesce(move, state.cleared, event);
    case "stopped":
      // Whoever knows nothing of epochs may start in spite of it.
      if (event.kind === "seen" && !isEmpty(event.look)) return enter(move, { kind: "quiescing", cleared: false });
      if (event.kind !== "switched" || event.side !== "new") return stay(move);
      return enter(move, move.migration === null ? { kind: "migrated", opening: false } : { kind: "switched" });
    case "switched":
      if (event.kind === "seen" && somebodyLives(event.look)) return hold(move, state, `${wordsOf(event.look)} lives`);
      return event.kind === "migrated" ? enter(move, { kind: "migrated", opening: false }) : stay(move);
    case "migrated":
      return reopen(move, state.opening, event);
    case "starting":
      return settle(move, state, event, "new", { kind: "done" });
    default:
      return state satisfies never;
  }
}

/** Only a look after the clearing proves it: what was begun before cannot start any more, and nothing else is there. */
function quiesce(move: Move, cleared: boolean, event: MoveEvent): MoveStep {
  if (event.kind === "cleared") return enterQuietly(move, { kind: "quiescing", cleared: true });
  if (event.kind !== "seen" || !cleared) return stay(move);
  const { look } = event;
  if (isEmpty(look)) return enter(move, { kind: "stopped" });
  // Somebody was started meanwhile: nobody was told that it would be stopped.
  if (isAsleep(move) && somebodyLives(look))
    return enter(move, { kind: "returning", phase: "closing", cleared: false, outcome: "aborted" });
  if (look.leftovers > 0) return enterQuietly(move, { kind: "quiescing", cleared: false });
  return stay(move);
}

/** Proven once more, since a migration takes its time. */
function reopen(move: Move, opening: boolean, event: MoveEvent): MoveStep {
  const state = { kind: "migrated", opening } as const;
  if (event.kind === "seen" && !opening) {
    if (isEmpty(event.look)) return enterQuietly(move, { kind: "migrated", opening: true });
    // A start that was on its way finds the gate closed, or has made what can never start: that is cleared, and is no harm.
    return somebodyLives(event.look) ? hold(move, state, `${wordsOf(event.look)} lives`) : stay(move);
  }
  return event.kind === "opened" && event.side === "new" && opening && event.epoch > move.epoch
    ? enter({ ...move, epoch: event.epoch }, isAsleep(move) ? { kind: "done" } : { kind: "starting" })
    : stay(move);
}

/** All members of one side run, and nothing else. */
function settle(move: Move, state: Active, event: MoveEvent, side: Side, end: MoveState): MoveStep {
  if (event.kind !== "seen") return stay(move);
  const { look } = event;
  const strangers = side === "new" ? look.old : look.new;
  if (strangers.length > 0) return hold(move, state, `${strangers.join(", ")} lives with other formats`);
  const missing = move.members.filter(({ agent }) => !look[side].includes(agent));
  return missing.length === 0 && look.unjudged.length === 0 ? enter(move, end) : stay(move);
}

function stepBack(move: Move, state: Returning, event: MoveEvent): MoveStep {
  const next = (phase: Returning["phase"], cleared = false): MoveState => ({ ...state, phase, cleared });
  const startsNobody = isAsleep(move) || isLeft(move);
  switch (state.phase) {
    case "closing":
      return event.kind === "closed" && event.epoch > move.epoch
        ? enter({ ...move, epoch: event.epoch }, next("clearing"))
        : stay(move);
    case "clearing": {
      if (event.kind === "cleared") return enterQuietly(move, next("clearing", true));
      if (event.kind !== "seen" || !state.cleared) return stay(move);
      if (event.look.leftovers > 0) return enterQuietly(move, next("clearing"));
      if (isLeft(move) && isFreeOfNew(event.look)) return enter(move, next("opening"));
      return isFreeOfNew(event.look) ? enter(move, next("switching")) : stay(move);
    }
    case "switching":
      return event.kind === "switched" && event.side === "old" ? enter(move, next("opening")) : stay(move);
    case "opening":
      if (event.kind === "seen" && !state.cleared)
        return isFreeOfNew(event.look) ? enterQuietly(move, next("opening", true)) : enter(move, next("clearing"));
      return event.kind === "opened" && event.side === "old" && state.cleared && event.epoch > move.epoch
        ? enter({ ...move, epoch: event.epoch }, startsNobody ? endOfReturn(move, state) : next("starting"))
        : stay(move);
    case "starting":
      return settle(move, state, event, "old", endOfReturn(move, state));
    default:
      return state.phase satisfies never;
  }
}

function endOfReturn({ decisions }: Move, { outcome }: Returning): MoveState {
  if (outcome === "rolledBack") return { kind: "rolledBack" };
  const wanted = decisions.some(({ choice }) => choice === "goBack");
  return { kind: "aborted", why: wanted ? "it went back" : "an agent of the fleet was started meanwhile" };
}

/** Within a state: nothing to tell anybody. */
function enterQuietly(move: Move, state: MoveState): MoveStep {
  const after: Move = { ...move, state };
  return { move: after, effects: moveTodo(after) };
}

function isEmpty(look: Look): boolean {
  return !somebodyLives(look) && look.leftovers === 0;
}

function somebodyLives(look: Look): boolean {
  return look.old.length + look.new.length + look.unjudged.length > 0;
}

/** Old ones may live: they are what it goes back to. */
function isFreeOfNew(look: Look): boolean {
  return look.new.length + look.unjudged.length === 0;
}

function wordsOf(look: Look): string {
  return [...look.old, ...look.new, ...look.unjudged].join(", ");
}
