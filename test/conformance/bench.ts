/** What the suite needs of a substrate: the real loops on it, evidence planted in it, and what truly lives on it. */
import type { Identity, StartOutcome, StopOutcome, Substrate } from "@moorage/core";

/** What the agent does once it runs. */
export type Behaviour = "runs" | "endsAtOnce" | "endsSlowly" | "idles";

export interface Ask {
  /** Another number is another declaration. Default 0. */
  readonly variant?: number;
  /** Default "runs". */
  readonly behaviour?: Behaviour;
  /** Milliseconds. Default: long enough for an agent to start. */
  readonly deadlineMs?: number;
  /** Milliseconds. Default 0. */
  readonly settleMs?: number;
}

/** States of an instance of declaration 0 under the agent's own name. */
export type Planted =
  /** Running, marked for deletion, within its grace. */
  | "ending"
  | "running"
  | "terminated"
  | "abandoned"
  | "secretMissing"
  | "invalidImage"
  | "pullFailing"
  | "interrupted"
  | "recoverable"
  | "unjudgeable";

/** Objects that are not ours: with our name, with our label, with all of our labels and an identity of another. */
export type Foreign = "ourName" | "ourLabel" | "halfOfOurMarks";

/** Where a caller dies: at its nth request, before it is sent or after its effect. */
export interface Death {
  readonly request: number;
  readonly after: boolean;
}

export interface Bench {
  readonly agent: string;
  readonly identity: Identity;
  /** The agent's deterministic name. */
  readonly name: string;
  readonly substrate: Substrate;
  /** The value of the agent's secret variable. */
  readonly secretValue: string;
  start(ask?: Ask): Promise<StartOutcome>;
  /** All at once: separate processes where the substrate is shared between processes. */
  startAll(asks: readonly Ask[]): Promise<readonly StartOutcome[]>;
  stop(deadlineMs?: number): Promise<StopOutcome>;
  /** False: it came to its end before. */
  startAndDie(death: Death): Promise<boolean>;
  stopAndDie(death: Death): Promise<boolean>;
  plant(state: Planted): Promise<void>;
  plantForeign(what: Foreign): Promise<void>;
  /** Removes the Secret of the present instance behind everybody's back. */
  removeSecret(): Promise<void>;
  /** How many processes (containers) of the agent live, by the machine's own word. */
  alive(): Promise<number>;
  /** Waits for a condition of the world. */
  until(what: string, holds: () => Promise<boolean>): Promise<void>;
  end(): Promise<void>;
}

export interface Fixture {
  readonly name: string;
  /** How many starts at once. */
  readonly starts: number;
  /** What it cannot have, each with its reason. */
  readonly exceptions: Readonly<Partial<Record<Planted | Foreign | Behaviour, string>>>;
  make(): Promise<Bench>;
}
