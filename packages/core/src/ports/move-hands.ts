/** What a cold move does to the world beyond documents: the agents of one fleet, stopped, seen, switched and started. */
import type { Look, Side } from "../update/move.ts";

/**
 * Of one fleet. Each may be done twice. Rejects when it failed and trying again by itself makes no sense: a person is asked
 * then. The message of what it rejects with is shown to people.
 */
export interface MoveHands {
  /**
   * Nobody else carries out a move of this fleet until it is let go, or this process ends: a lock of the system, never a
   * note that stays behind. Null: somebody else has it.
   */
  hold(): Promise<(() => Promise<void>) | null>;
  /** The agents of the fleet as it is declared at this moment. */
  members(): Promise<readonly string[]>;
  /**
   * Deletes, each with its fence, the Secrets of attempts of this fleet that no instance refers to, and then the instances
   * that have never started and, by a read, lack the Secret of their attempt.
   */
  clear(): Promise<void>;
  /** Asks each to end by the graceful path; it may return before they have. One that has ended is no fault. */
  stop(agents: readonly string[]): Promise<void>;
  /** Most recent reads of all that lives in the fleet, members or not. */
  look(): Promise<Look>;
  /** From here on a start takes the builds and the bundle of that side. */
  switch(side: Side): Promise<void>;
  migrate(migration: string): Promise<void>;
  /** Starts each that does not run yet, by the way that every start takes: through the gate. */
  start(side: Side, agents: readonly string[]): Promise<void>;
}
