/** What `core` offers: the decisions over plain data, the loops over ports, the ports themselves. */
export * from "./deploy/classify.ts";
export * from "./deploy/condition.ts";
export * from "./deploy/ending.ts";
export * from "./deploy/gc.ts";
export * from "./deploy/identity.ts";
export * from "./deploy/intent.ts";
export * from "./deploy/marks.ts";
export * from "./deploy/observation.ts";
export * from "./deploy/profile.ts";
export * from "./deploy/refusal.ts";
export * from "./deploy/revive.ts";
export * from "./deploy/startup.ts";
export type * from "./ports/abort.ts";
export type * from "./ports/clock.ts";
export type * from "./ports/digest.ts";
export type * from "./ports/journal.ts";
export type * from "./ports/random.ts";
export type * from "./ports/substrate.ts";
