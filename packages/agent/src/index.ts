/** What an agent imports: one call that connects it, and the shapes that come of it. */
export type { AgentErrorCode } from "./agent-error.ts";
export { AgentError, isDraining } from "./agent-error.ts";
export type { Catalog } from "./catalog.ts";
export type { Agent, ConnectOptions, StagedAnswer, StagedBundle, Turn } from "./connect.ts";
export { connect } from "./connect.ts";
