/** What a start has to pass beside the decision table: asked before it writes anything, and again before its instance is created. */
import type { Condition } from "./conditions.ts";
import type { Notes } from "./marks.ts";

export type Admitted =
  /** With what is recorded on the instance. */
  { readonly kind: "pass"; readonly notes: Notes } | { readonly kind: "refuse"; readonly condition: Condition };

/**
 * The gate of a fleet, and whatever has to be there before a first start. A start of what runs asks neither. Neither rejects:
 * a place that does not answer is a condition too.
 */
export interface Admission {
  /** Before anything is removed or written. */
  begin(): Promise<Admitted>;
  /** After the attempt's Secret is written and before its instance is created, each time that it is: null, or why nothing is created. The Secret is taken back then. */
  stillHolds(): Promise<Condition | null>;
}
