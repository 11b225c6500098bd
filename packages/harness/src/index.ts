/** What `harness` offers: the supervisor of one agent, the port that its substrate fills, and what looks at agents from outside. */

export type { AwakeClockOptions } from "./awake-clock.ts";
export { awakeClock } from "./awake-clock.ts";
export * from "./catalog.ts";
export type { Facts } from "./facts.ts";
export { readFacts } from "./facts.ts";
export type { Health, HealthSource } from "./health.ts";
export { closeInheritedDescriptors } from "./inherited-descriptors.ts";
export type { LogLine, LogStream } from "./logs/log-format.ts";
export type { NamedEvent, NamedLog } from "./logs/log-merge.ts";
export { mergeLogs } from "./logs/log-merge.ts";
export * from "./logs/log-reader.ts";
export * from "./logs/log-writer.ts";
export { makeFifos } from "./output.ts";
export * from "./process/end-tree.ts";
export * from "./process/machine.ts";
export type * from "./process/mark.ts";
export type * from "./process/process-table.ts";
export * from "./process/system-table.ts";
export { descendants } from "./process/tree.ts";
export type * from "./record.ts";
export type { SocketPlaces } from "./socket-path.ts";
export { chooseSocketPath, ensurePrivateDirectory } from "./socket-path.ts";
export type { SupervisorSpec } from "./spec.ts";
export { HarnessFault } from "./spec.ts";
export type { Supervision, SupervisionEnd, SupervisorPorts } from "./supervise.ts";
export { supervise } from "./supervise.ts";
export type { LastTurn, Outcome, TurnCounts } from "./turns.ts";
