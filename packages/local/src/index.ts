/** What `local` offers: agents as processes on this machine behind core's ports, and what people want to know beside them. */
export type { LogEvent, NamedEvent, NamedLog } from "@moorage/harness";
export { awakeClock, mergeLogs, readLog } from "@moorage/harness";
export type { Deliveries } from "./deliveries.ts";
export type * from "./delivery-facts.ts";
export type { InstanceFacts, SupervisorState, TurnFacts } from "./facts.ts";
export { outputFolders } from "./instance-folder.ts";
export type { JournalFollow, JournalLine, LocalJournal } from "./journal.ts";
export { openJournal } from "./journal.ts";
export { launchEnvironment, networkVariablesNotPassed } from "./launch-environment.ts";
export type { HeldLock } from "./lock.ts";
export { takeLock } from "./lock.ts";
export { openScope } from "./open-scope.ts";
export type { Scope, ScopeOptions } from "./scope.ts";
export { defaultStateDir } from "./state-dir.ts";
export type { StateErrorCode } from "./state-error.ts";
export { StateError } from "./state-error.ts";
