/** What will become of an instance: how long it takes to come, what goes wrong on the way and how it ends. */
import type { Ending, PullFailureKind } from "@moorage/core";

export type Trouble =
  | { readonly kind: "none" }
  /** `failure` null: a cause that heals or that nobody knows. */
  | { readonly kind: "pull"; readonly failure: PullFailureKind | null; readonly healsAfterMs: number | null }
  | { readonly kind: "invalidImage"; readonly rejected: boolean }
  /** A configuration error that looks like a missing Secret, while the Secret is there. */
  | { readonly kind: "configError"; readonly healsAfterMs: number }
  | { readonly kind: "phaseUnknown"; readonly healsAfterMs: number }
  /** The node refuses it before any container is made. */
  | { readonly kind: "rejected" }
  /** Whoever was creating it died before anybody took it over. */
  | { readonly kind: "unclaimed" };

export interface Fate {
  readonly scheduleMs: number;
  readonly pullMs: number;
  /** How long it takes to end once it is asked. */
  readonly graceMs: number;
  readonly sidecar: boolean;
  readonly trouble: Trouble;
  readonly exit: { readonly afterMs: number; readonly ending: Ending } | null;
}

export const healthy: Fate = {
  scheduleMs: 20,
  pullMs: 300,
  graceMs: 400,
  sidecar: false,
  trouble: { kind: "none" },
  exit: null,
};
