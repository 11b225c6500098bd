/** What a start or a stop answers: values, with everything that a person or a program needs to go on. */
import type { Condition } from "./conditions.ts";
import type { Attempt } from "./identity.ts";
import type { IntentComparison } from "./intent.ts";

/** One thing that the call did, or decided not to do. */
export interface ActionTaken {
  readonly action: string;
  readonly reason: string;
  /** The object that it was about. */
  readonly name: string;
}

interface Told {
  /** The deterministic name of the instance. */
  readonly agentId: string;
  readonly scope: string;
  readonly actions: readonly ActionTaken[];
  /** How many requests this call made to the substrate. */
  readonly requests: number;
}

/** Its own container (process) runs: the only success. */
export interface Running extends Told {
  readonly outcome: "started" | "alreadyRunning";
  readonly intent: IntentComparison;
  readonly attempt: Attempt | null;
  readonly startedAt: string | null;
  /** Not null: running as far as anyone knows, with something that a person should know. */
  readonly condition: Condition | null;
}

export interface NotRunning extends Told {
  readonly outcome: "notConfirmed" | "reported" | "refused" | "worldMoved" | "interrupted";
  readonly intent: IntentComparison;
  readonly attempt: Attempt | null;
  readonly startedAt: null;
  readonly condition: Condition;
  /** The code of what was waited for when the time was over; null: the call ended by itself. */
  readonly waitedFor: string | null;
}

export type StartOutcome = Running | NotRunning;

export interface StopOutcome extends Told {
  /** `nothing`: there was no instance, which is what a stop wants. */
  readonly outcome: "stopped" | "nothing" | "notConfirmed" | "reported" | "refused" | "worldMoved" | "interrupted";
  readonly condition: Condition | null;
}
