/** The record of one instance as its supervisor needs it; the entry point of a substrate fills this port. */
import type { Ending } from "@moorage/core";
import type { ProcessMark } from "./process/mark.ts";

/** Somebody has marked the instance for deletion. */
export interface StopRequest {
  /** A person's shorter grace, counted from when the stop began; null is the declaration's own. */
  readonly graceMs: number | null;
}

/**
 * What became of a write. `later` is a place that cannot take it now (full, locked): the supervisor tries again until it
 * is taken. `notOurs` is final: the object is gone, or carries another UID.
 */
export type Recorded =
  | { readonly kind: "recorded" }
  | { readonly kind: "notOurs" }
  | { readonly kind: "later"; readonly detail: string };

export type Look =
  | { readonly kind: "ours"; readonly stop: StopRequest | null }
  /** The instance or its whole state directory was deleted: its agent is ended, so that no second copy can come. */
  | { readonly kind: "gone"; readonly detail: string }
  /** Nothing can be read now. Nothing is concluded from it. */
  | { readonly kind: "unreadable"; readonly detail: string };

/** All calls are synchronous and short. None throws for what the world does: a full disk is a `later`. */
export interface Record {
  /** Puts the agent's process, as it is before its gate opens, on record. The gate opens only after `recorded`; after `notOurs` the agent is never started. */
  spawned(mark: ProcessMark): Recorded;
  /** The agent's own program runs: its exec was seen. `at` is ISO 8601, for people. */
  running(at: string): Recorded;
  /** The agent and all that it left are proved gone. The last thing that a supervisor records. */
  ended(ending: Ending): Recorded;
  /** The mark, by a most-recent read. Called about every two seconds and after a poke; it must not write. */
  look(): Look;
}
