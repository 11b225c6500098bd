/** What a start has to pass beside the decision table: asked before it writes anything, and again before its instance is created. */
import type { Unavailable } from "../ports/substrate.ts";
import type { Condition } from "./conditions.ts";
import type { Notes } from "./marks.ts";

export type Admitted =
  /** With what is recorded on the instance. */
  { readonly kind: "pass"; readonly notes: Notes } | { readonly kind: "refuse"; readonly condition: Condition };

/**
 * The gate of a fleet, and whatever has to be there before a first start. A start of what runs asks neither. What cannot be
 * told now is asked again until the call's deadline. Rejects with a fault of the place alone.
 */
export interface Admission {
  /** Before anything is removed or written. */
  begin(): Promise<Admitted | Unavailable>;
  /** After the attempt's Secret is written and before its instance is created, each time that it is: null, or why nothing is created. The Secret is taken back then. */
  stillHolds(): Promise<Condition | null | Unavailable>;
}
