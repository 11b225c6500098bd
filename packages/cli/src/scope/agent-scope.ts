/** The scope of a command, wherever it is: core's ports over it, and what people want to know and do beside them. */
import type { Condition, Inventory, Substrate } from "@moorage/core";
import type { ClusterEvent, PodFacts, PodLogEvent } from "@moorage/kubernetes";
import type { InstanceFacts, LocalJournal, LogEvent, Scope } from "@moorage/local";
import type { SubstrateName } from "./substrate-of.ts";

/** What people want to know of an instance beside its decoded observation. Nothing here decides anything. */
export interface AgentFacts {
  readonly name: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Milliseconds from a stop to the kill. */
  readonly graceMs: number;
  /** The folder of its catalog, where it has one. */
  readonly catalog: string | null;
  readonly revives: number;
  readonly turn: InstanceFacts["turn"];
  readonly health: InstanceFacts["health"];
  readonly memoryBytes: number | null;
  readonly cpuMs: number | null;
  /** Of an agent on this machine. */
  readonly process: InstanceFacts | null;
  /** Of an agent on a cluster. */
  readonly pod: PodFacts | null;
}

/** Which part of an agent's output. */
export interface OutputChoice {
  /** Of the run before. */
  readonly previous: boolean;
  /** Whether the instance is there, by the last read. */
  readonly present: boolean;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Only the last so many lines. */
  readonly tail?: number | undefined;
  /** Goes on with what comes until it aborts; null: what is there. */
  readonly follow: AbortSignal | null;
}

export type OutputEvent = LogEvent | PodLogEvent;

/** What only one machine has: the documents of its fleets, the store of bundles, and the lives of agents with them. */
export type MachineScope = Pick<
  Scope,
  "stateDir" | "documents" | "bundlesFolder" | "trustFolder" | "delivery" | "offer" | "retry" | "pokeAll"
>;

export interface AgentScope {
  readonly on: SubstrateName;
  readonly substrate: Substrate;
  readonly inventory: Inventory;
  /** null on a cluster. */
  readonly machine: MachineScope | null;
  /** What this machine's callers saw, decided and did. */
  readonly journal: LocalJournal;
  /** Milliseconds after which whoever watches looks again, though no change was told. */
  readonly lookMs: number;
  /** In the order of their names; those that are not there are missing. */
  facts(names?: readonly string[]): Promise<readonly AgentFacts[]>;
  /** Shortens the grace of a stop, asked for before or after it. */
  setStopGrace(name: string, graceMs: number): Promise<void>;
  /** Removes what an ended agent leaves behind on purpose. */
  purge(name: string): Promise<"purged" | "nothing" | "stillThere">;
  /** Times (milliseconds since 1970) of the revives of the last day, oldest first. */
  revives(name: string): Promise<readonly number[]>;
  /** Unless one is on record since then. */
  recordRevive(name: string, at: number, since: number): Promise<void>;
  /** Resolves at the next change of any instance, after `ms` milliseconds, or when the signal aborts. */
  changed(ms: number, signal: AbortSignal): Promise<void>;
  /** Why it waits, where the loops cannot see it; null where there is nothing to add. For words only; never rejects. */
  whyWaiting(name: string): Promise<Condition | null>;
  /** null: there is none. */
  output(name: string, choice: OutputChoice): AsyncIterable<OutputEvent> | null;
  /** What the cluster tells of an instance by itself, oldest first; empty on one machine. */
  events(name?: string): Promise<readonly ClusterEvent[]>;
  followEvents(signal: AbortSignal): AsyncIterable<ClusterEvent>;
  /** Resolves when what this process alone can do is done. */
  settled(): Promise<void>;
  close(): void;
}
