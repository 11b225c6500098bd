/** What people want to know of an instance beside its decoded observation. */
import type { ProcessTemplate } from "@moorage/core";

/** `stopped` holds its lock but was stopped (SIGSTOP): it answers nobody until CONT. */
export type SupervisorState = "alive" | "stopped" | "starting" | "ended" | "lost" | "cannotTell";

export interface TurnFacts {
  readonly inFlight: number;
  /** ISO 8601: since when the oldest turn in flight runs; null when none does. */
  readonly since: string | null;
  /** ISO 8601: when a turn began or ended last. */
  readonly lastAt: string | null;
}

export interface InstanceFacts {
  readonly name: string;
  readonly uid: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly supervisor: { readonly state: SupervisorState; readonly pid: number | null };
  /** Of the agent's own process; null before it starts. It may have ended. */
  readonly pid: number | null;
  /** null: it does not tell its turns, or has not yet. */
  readonly turn: TurnFacts | null;
  readonly health: { readonly state: "unknown" | "healthy" | "unhealthy"; readonly since: string | null };
  /** Resident bytes and CPU milliseconds of the agent's whole session; null when it does not run or cannot be told. */
  readonly memoryBytes: number | null;
  readonly cpuMs: number | null;
  readonly revives: number;
  /** The folders with the output of this run and of the one before. */
  readonly logs: string;
  readonly previousLogs: string | null;
  /** The agent's lasting folder. */
  readonly workspace: string;
  readonly template: ProcessTemplate;
  readonly launchEnv: Readonly<Record<string, string>>;
  /** Why the supervisor waits, where it does. */
  readonly waiting: string | null;
}
