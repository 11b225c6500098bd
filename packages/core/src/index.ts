/** What `core` offers: the decisions over plain data, the loops over ports, the ports themselves. */

export type { CallPorts, Subject } from "./deploy/call.ts";
export * from "./deploy/classify.ts";
export type { Condition } from "./deploy/conditions.ts";
export * from "./deploy/ending.ts";
export * from "./deploy/ending-note.ts";
export * from "./deploy/gc.ts";
export * from "./deploy/identity.ts";
export * from "./deploy/intent.ts";
export * from "./deploy/marks.ts";
export * from "./deploy/observation.ts";
export * from "./deploy/outcome.ts";
export * from "./deploy/preview.ts";
export * from "./deploy/profile.ts";
export * from "./deploy/pull-words.ts";
export * from "./deploy/reconcile.ts";
export * from "./deploy/refusal.ts";
export * from "./deploy/revive.ts";
export * from "./deploy/startup.ts";
export * from "./deploy/stop.ts";
export * from "./ports/abort.ts";
export type * from "./ports/clock.ts";
export type * from "./ports/digest.ts";
export type * from "./ports/journal.ts";
export type * from "./ports/random.ts";
export type * from "./ports/substrate.ts";
export * from "./redact.ts";
