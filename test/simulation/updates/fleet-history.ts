/** A history of a fleet's updates as data: publishers, executors, operators, starters, and a world that does not stand still. */
import type { Crash, History } from "../history.ts";
import type { Nature } from "./channel.ts";

export type Side = "old" | "new";

/** Which agent of the fleet: 2 is the guest that nobody pinned. */
export type AgentNumber = 0 | 1 | 2;

interface CallStep {
  /** Milliseconds since the beginning. */
  readonly at: number;
  /** Faults and latencies are drawn by this number, so it stays when other steps are cut. */
  readonly caller: number;
  readonly crash: Crash | null;
}

export interface FleetStart extends CallStep {
  readonly kind: "start";
  readonly agent: AgentNumber;
  readonly side: Side;
  /** Its machine sleeps right after that request. */
  readonly slip: { readonly after: "begin" | "secret" | "stillHolds"; readonly ms: number } | null;
  /** It knows nothing of epochs: an admission policy keeps it out. */
  readonly ignorant: boolean;
}

interface FleetStop extends CallStep {
  readonly kind: "stop";
  readonly agent: AgentNumber;
}

export interface Publish extends CallStep {
  readonly kind: "publish";
  readonly content: number;
  readonly nature: Nature;
  readonly side: Side;
  /** Between its look at the head and its try. */
  readonly thinkMs: number;
}

interface Propose extends CallStep {
  readonly kind: "propose";
}

export interface Execute extends CallStep {
  readonly kind: "execute";
  readonly deadlineMs: number;
}

export interface Decide extends CallStep {
  readonly kind: "decide";
  readonly favours: "forward" | "back";
  /** Between what they saw and what they say. */
  readonly thinkMs: number;
  readonly snoozes: boolean;
}

interface TurnBack extends CallStep {
  readonly kind: "turnBack";
}

export type FleetCall = FleetStart | FleetStop | Publish | Propose | Execute | Decide | TurnBack;

export type FleetWorldEvent =
  /** Harness and agent are killed after so many more effects of its life. */
  | { readonly kind: "kill"; readonly agent: AgentNumber; readonly fuse: number }
  | { readonly kind: "evict" | "crash"; readonly agent: AgentNumber }
  | { readonly kind: "diskFull"; readonly ms: number }
  | { readonly kind: "outage"; readonly ms: number }
  | { readonly kind: "clockStep"; readonly ms: number }
  | { readonly kind: "migrationFails"; readonly times: number }
  | { readonly kind: "retry"; readonly agent: AgentNumber };

export type FleetStep =
  | FleetCall
  | { readonly kind: "interrupt"; readonly at: number; readonly caller: number }
  | { readonly kind: "gap"; readonly at: number; readonly caller: number; readonly ms: number }
  | { readonly kind: "world"; readonly at: number; readonly event: FleetWorldEvent };

export interface FleetHistory extends Pick<History, "seed" | "faults"> {
  /** The event log moves with the new side: a point of no return. */
  readonly movesLog: boolean;
  readonly migration: string | null;
  readonly takesPart: readonly ("socket" | "files" | "nothing")[];
  readonly steps: readonly FleetStep[];
}
