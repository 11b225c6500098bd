/** All that may be known of a pod that waits, for those who put it into words. */
import type { RawEvent } from "./cluster-event.ts";
import type { Fields } from "./json-fields.ts";
import type { CommandPlace } from "./kubectl-command.ts";

/** An object beside the pod: there, not there, or not for us to read. */
export type Beside =
  | { readonly kind: "found"; readonly object: Fields }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown" };

export interface WaitingPod {
  readonly name: string;
  /** For the commands that help. */
  readonly agent: string;
  readonly place: CommandPlace;
  readonly spec: Fields;
  readonly status: Fields;
  /** Our container as it was asked for. */
  readonly container: Fields;
  /** Newest last; null where they may not be read. */
  readonly events: readonly RawEvent[] | null;
  /** The claim that its workspace is on, and the Events of that. */
  readonly claim: { readonly name: string; readonly look: Beside; readonly events: readonly RawEvent[] } | null;
  readonly node: { readonly name: string; readonly look: Beside } | null;
}

/** An ISO time as people read it: without thousandths. */
export function plainTime(iso: string): string {
  return iso.replace(/\.\d+Z$/, "Z");
}
