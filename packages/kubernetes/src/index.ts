/** What the cluster's side offers: texts and objects of Kubernetes, decoded into core's words. */

export * from "./check.ts";
export type * from "./cluster-access.ts";
export * from "./cluster-error.ts";
export type { ClusterEvent } from "./cluster-event.ts";
export * from "./credentials.ts";
export * from "./decode.ts";
export type { EventChoice } from "./events.ts";
export type { PodFacts } from "./facts.ts";
export * from "./find-access.ts";
export * from "./image-reference.ts";
export * from "./kubectl-command.ts";
export * from "./open-cluster.ts";
export * from "./pod-defaults.ts";
export type * from "./pod-log-event.ts";
export * from "./pod-profile.ts";
export * from "./pod-template.ts";
export * from "./pull-failure.ts";
export * from "./quantity.ts";
export * from "./refusal-of.ts";
export * from "./rights.ts";
export * from "./transport.ts";
export * from "./watch.ts";
