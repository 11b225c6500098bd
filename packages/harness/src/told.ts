/** What a supervisor does that no record holds, told as it happens. */
import type { BundleState } from "@moorage/core";
import type { LostTurn } from "./endings.ts";
import type { StopReason } from "./life.ts";

export type Told =
  /** New turns are refused from now on; those in flight have that many milliseconds. */
  | { readonly kind: "draining"; readonly reason: StopReason; readonly inFlight: number; readonly leftMs: number }
  /** Something of the agent's is still there when its grace is over. */
  | { readonly kind: "killing" }
  /** The agent ended with these in flight. */
  | { readonly kind: "lost"; readonly turns: readonly LostTurn[] };

/** What becomes of an agent's bundles, told as it happens. */
export type DeliveryTold =
  | {
      readonly kind: "bundle";
      readonly digest: string;
      /** Null: the store does not know it. */
      readonly sequence: number | null;
      readonly state: BundleState;
      readonly detail: string | null;
    }
  /** Something could not be done; it is tried again where that helps. */
  | { readonly kind: "trouble"; readonly detail: string };
