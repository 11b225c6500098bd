/** What the provider offers to tests and tools: its profile, its form and its one decision about a request. The rest is an executable. */
export * from "./answer.ts";
export * from "./buzz-profile.ts";
export * from "./config-schema.ts";
export * from "./respond.ts";
