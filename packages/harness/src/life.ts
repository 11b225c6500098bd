/** One supervised life of an agent as a pure machine: from a life and an input to the next life and what is to be done. */
import type { Ending } from "@moorage/core";
import type { Exit, LostTurn } from "./endings.ts";
import { endingOf } from "./endings.ts";

interface Limits {
  /** How long a stop waits for turns in flight, in milliseconds. */
  readonly drainMs: number;
  /** From the beginning of a stop to SIGKILL, in milliseconds; more than `drainMs`. */
  readonly graceMs: number;
}

/** `renewed`: the process alone ends, and its catalog says how it goes on. Whoever else asks is stronger. */
export type StopReason = "stopped" | "idle" | "renewed";

/** A stop under way. Times in milliseconds of the awake clock. */
export interface Stopping {
  readonly reason: StopReason;
  readonly drainUntil: number;
  readonly killAt: number;
}

interface Dying {
  /** Null when the agent ended by itself. */
  readonly stop: Stopping | null;
  /** Null while the agent itself still lives; what it left may outlive it. */
  readonly exit: Exit | null;
  readonly lost: readonly LostTurn[];
}

export type Life =
  /** Nothing is spawned yet. */
  | { readonly phase: "waiting" }
  /** The agent's process waits behind its gate until it is on record. */
  | { readonly phase: "gated" }
  /** The gate is open; the exec of the agent's own program was not seen yet. */
  | { readonly phase: "opening" }
  | { readonly phase: "running" }
  | { readonly phase: "draining"; readonly stop: Stopping }
  | ({ readonly phase: "terminating"; readonly killAt: number } & Dying)
  | ({ readonly phase: "killing" } & Dying)
  | { readonly phase: "ended"; readonly ending: Ending };

export type Input =
  | { readonly kind: "spawned" }
  | { readonly kind: "cannotStart"; readonly detail: string }
  /** The process is on record. */
  | { readonly kind: "recorded" }
  | { readonly kind: "execSeen" }
  /** Somebody asked, or the idle limit is reached; `graceMs` is a person's shorter grace, from now. */
  | { readonly kind: "stop"; readonly reason: StopReason; readonly graceMs: number | null }
  | { readonly kind: "exited"; readonly exit: Exit; readonly lost: readonly LostTurn[] }
  /** Nothing of the agent is left, each process proved. `killed`: something ignored SIGTERM until its grace was over. */
  | { readonly kind: "empty"; readonly killed: boolean }
  | { readonly kind: "tick" };

/** What holds at the moment of a step. `now` in milliseconds of the awake clock. */
export interface Situation {
  readonly now: number;
  readonly inFlight: number;
  readonly limits: Limits;
}

export type Effect =
  | "recordSpawned"
  | "openGate"
  /** The agent's process ends without ever having been the agent. */
  | "closeGate"
  | "recordRunning"
  /** Tells the agent, and refuses new turns from now on. */
  | "announceDrain"
  /** SIGTERM and SIGCONT to the agent's group, or to what it left. Already under way: nothing more. */
  | "terminate"
  /** SIGKILL to everything that is proved to be the agent's. */
  | "kill"
  | "recordEnded";

export interface Decision {
  readonly life: Life;
  readonly effects: readonly Effect[];
}

/** One step. Total: an input that means nothing in a phase changes nothing. */
export function step(life: Life, input: Input, situation: Situation): Decision {
  switch (input.kind) {
    case "spawned":
      return life.phase === "waiting" ? go({ phase: "gated" }, "recordSpawned") : stay(life);
    case "cannotStart":
      return life.phase === "waiting" ? neverStarted(input.detail) : stay(life);
    case "recorded":
      return life.phase === "gated" ? go({ phase: "opening" }, "openGate") : stay(life);
    case "execSeen":
      return life.phase === "opening" ? go({ phase: "running" }, "recordRunning") : stay(life);
    case "stop":
      return stop(life, input, situation);
    case "exited":
      return exited(life, input, situation);
    case "empty":
      return empty(life, input);
    case "tick":
      return tick(life, situation);
    default:
      return input satisfies never;
  }
}

/** When the next tick is due on the awake clock, or null when nothing waits for time. */
export function deadlineOf(life: Life): number | null {
  if (life.phase === "draining") return Math.min(life.stop.drainUntil, life.stop.killAt);
  if (life.phase === "terminating") return life.killAt;
  return null;
}

function go(life: Life, ...effects: Effect[]): Decision {
  return { life, effects };
}

function stay(life: Life): Decision {
  return { life, effects: [] };
}

function neverStarted(detail: string): Decision {
  return go(
    { phase: "ended", ending: { reason: "notStarted", exitCode: null, signal: null, detail, at: null } },
    "recordEnded",
  );
}

type StopInput = Extract<Input, { kind: "stop" }>;

function stop(life: Life, asked: StopInput, situation: Situation): Decision {
  switch (life.phase) {
    case "waiting":
      return go(
        {
          phase: "ended",
          ending: {
            reason: asked.reason === "renewed" ? "notStarted" : asked.reason,
            exitCode: null,
            signal: null,
            detail: "it had not been started",
            at: null,
          },
        },
        "recordEnded",
      );
    case "gated": {
      const begun = beginStop(asked, situation);
      return go({ phase: "terminating", stop: begun, exit: null, lost: [], killAt: begun.killAt }, "closeGate");
    }
    case "opening":
    case "running": {
      const draining = go({ phase: "draining", stop: beginStop(asked, situation) }, "announceDrain");
      const next = tick(draining.life, situation);
      return { life: next.life, effects: [...draining.effects, ...next.effects] };
    }
    case "draining":
      return tick({ ...life, stop: shortened(life.stop, asked, situation) }, situation);
    case "terminating": {
      const stop = life.stop === null ? null : { ...life.stop, reason: stronger(life.stop, asked) };
      if (asked.graceMs === null) return stay({ ...life, stop });
      const killAt = Math.min(life.killAt, situation.now + asked.graceMs);
      return tick({ ...life, stop, killAt }, situation);
    }
    case "killing":
      return stay(life.stop === null ? life : { ...life, stop: { ...life.stop, reason: stronger(life.stop, asked) } });
    case "ended":
      return stay(life);
    default:
      return life satisfies never;
  }
}

function beginStop({ reason, graceMs }: StopInput, { now, limits }: Situation): Stopping {
  const declared = { reason, drainUntil: now + limits.drainMs, killAt: now + limits.graceMs };
  return shortened(declared, { kind: "stop", reason, graceMs }, { now, inFlight: 0, limits });
}

/** Only ever shorter. Half of a person's grace is left for turns, so that SIGTERM still comes before SIGKILL. */
function shortened(stopping: Stopping, asked: StopInput, { now }: Situation): Stopping {
  const { graceMs } = asked;
  const reason = stronger(stopping, asked);
  if (graceMs === null) return { ...stopping, reason };
  return {
    reason,
    drainUntil: Math.min(stopping.drainUntil, now + graceMs / 2),
    killAt: Math.min(stopping.killAt, now + graceMs),
  };
}

function stronger(stopping: Stopping, asked: StopInput): StopReason {
  return stopping.reason === "renewed" ? asked.reason : stopping.reason;
}

function tick(life: Life, { now, inFlight }: Situation): Decision {
  if (life.phase === "draining") {
    if (inFlight > 0 && now < Math.min(life.stop.drainUntil, life.stop.killAt)) return stay(life);
    return go({ phase: "terminating", stop: life.stop, exit: null, lost: [], killAt: life.stop.killAt }, "terminate");
  }
  if (life.phase === "terminating" && now >= life.killAt)
    return go({ phase: "killing", stop: life.stop, exit: life.exit, lost: life.lost }, "kill");
  return stay(life);
}

function exited(life: Life, { exit, lost }: Extract<Input, { kind: "exited" }>, situation: Situation): Decision {
  switch (life.phase) {
    case "waiting":
    case "ended":
      return stay(life);
    case "gated":
    case "opening":
    case "running":
      return go(
        { phase: "terminating", stop: null, exit, lost, killAt: situation.now + situation.limits.graceMs },
        "terminate",
      );
    case "draining":
      return go({ phase: "terminating", stop: life.stop, exit, lost, killAt: life.stop.killAt }, "terminate");
    case "terminating":
      // What it left is looked for even where its gate never opened.
      return go({ ...life, exit, lost }, "terminate");
    case "killing":
      return stay({ ...life, exit, lost });
    default:
      return life satisfies never;
  }
}

/** The end is only ever an end when the agent's own exit was seen too: the kernel tells it to its parent, who we are. */
function empty(life: Life, { killed }: Extract<Input, { kind: "empty" }>): Decision {
  if (life.phase !== "terminating" && life.phase !== "killing") return stay(life);
  if (life.exit === null) return stay(life);
  const ending = endingOf({
    stop: life.stop === null || life.stop.reason === "renewed" ? null : life.stop.reason,
    exit: life.exit,
    lost: life.lost,
    killed,
  });
  return go({ phase: "ended", ending }, "recordEnded");
}
