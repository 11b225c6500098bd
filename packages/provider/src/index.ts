/** What the provider offers to tests and tools: its profile, and its answer to a request. The rest is an executable. */
export * from "./answer.ts";
export * from "./answer-deploy.ts";
export * from "./buzz-profile.ts";
export * from "./respond.ts";
