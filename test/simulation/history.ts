/** A history as data: who does what when, what becomes of instances and which faults hit which request. It can be cut and replayed. */
import type { Ending } from "@moorage/core";
import type { Fate } from "./fate.ts";

/** A caller dies at its nth await: with what it had sent already done (`after`), or never sent. */
export interface Crash {
  readonly operation: number;
  readonly after: boolean;
}

interface CallStep {
  /** Milliseconds since the beginning. */
  readonly at: number;
  /** Who: faults and latencies are drawn by this number, so it stays when other steps are cut. */
  readonly caller: number;
  readonly agent: number;
  readonly deadlineMs: number;
  readonly crash: Crash | null;
}

export interface StartStep extends CallStep {
  readonly kind: "start";
  /** Which declaration: another number is another intent. */
  readonly variant: number;
  readonly settleMs: number;
  /** Another implementation writes another intent scheme. */
  readonly scheme: "m1" | "m2";
}

export interface StopStep extends CallStep {
  readonly kind: "stop";
}

export interface KeepStep extends CallStep {
  readonly kind: "keep";
  readonly variant: number;
  readonly untilMs: number;
}

export type World =
  | { readonly kind: "exit"; readonly ending: Ending }
  | { readonly kind: "restartInPlace"; readonly ms: number }
  | { readonly kind: "evict" }
  | { readonly kind: "loseNode"; readonly returnsAfterMs: number | null }
  | { readonly kind: "forceRemove" }
  | { readonly kind: "deleteByHand" }
  | { readonly kind: "removeSecret" }
  | { readonly kind: "hide"; readonly ms: number }
  | { readonly kind: "touch" }
  | { readonly kind: "finalizer"; readonly ms: number }
  | { readonly kind: "plant"; readonly what: Planted }
  | { readonly kind: "compact" }
  | { readonly kind: "serverClockStep"; readonly ms: number }
  | { readonly kind: "serverClockAbsent"; readonly ms: number }
  | { readonly kind: "outage"; readonly ms: number }
  | { readonly kind: "quota"; readonly ms: number }
  | { readonly kind: "forbidden"; readonly ms: number };

/** Objects that nobody's start made. The last two are ours, under other names. */
export type Planted = "ourName" | "ourLabel" | "halfOfOurMarks" | "foreignSecret" | "endedElsewhere" | "duplicate";

export type Step =
  | StartStep
  | StopStep
  | KeepStep
  | { readonly kind: "interrupt"; readonly at: number; readonly caller: number }
  /** Its machine sleeps: nothing of it goes on, and its clock does not count the time. */
  | { readonly kind: "gap"; readonly at: number; readonly caller: number; readonly ms: number }
  | { readonly kind: "world"; readonly at: number; readonly agent: number; readonly event: World }
  /** What becomes of the nth instance that is created. */
  | { readonly kind: "fate"; readonly nth: number; readonly fate: Fate };

export type FaultKind =
  | "busy"
  | "error"
  | "timeout"
  | "lost"
  | "dropped"
  | "late"
  | "retried"
  | "touched"
  | "silent"
  | "expired"
  | "ends"
  | "throttled"
  | "slow"
  | "repeats";

/** What happened to one request of one caller. */
export interface Fault {
  readonly caller: number;
  readonly operation: number;
  readonly kind: FaultKind;
}

export interface History {
  readonly seed: number;
  readonly scopeExists: boolean;
  readonly steps: readonly Step[];
  /** Drawn with this probability for each request, or exactly these. */
  readonly faults:
    | { readonly kind: "drawn"; readonly rate: number }
    | { readonly kind: "given"; readonly list: readonly Fault[] };
}
