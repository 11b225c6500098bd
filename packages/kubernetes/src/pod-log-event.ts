/** What a pod's output is asked with, and what comes of it. */
import type { Abort } from "@moorage/core";

export interface PodLogRequest {
  readonly pod: string;
  /** Default: the profile's, which is our own. */
  readonly container?: string;
  /** Only lines since this time, in milliseconds since 1970 by the node's clock. */
  readonly since?: number | null;
  /** Only lines of the last so many milliseconds by the node's clock, which is asked in whole seconds. */
  readonly sinceMs?: number | null;
  /** Only the last so many lines of what is there. */
  readonly tail?: number | null;
  /** The run before the one that is there: of a container that was started again in place. */
  readonly previous?: boolean;
  /** Goes on with what comes, until the container has ended or this aborts; null: what is there. */
  readonly follow?: Abort | null;
}

export interface PodLogLine {
  readonly kind: "line";
  /** Milliseconds since 1970, of its first byte, by the node's clock. */
  readonly time: number;
  /** Kubernetes does not tell whether it was written to stdout or to stderr. */
  readonly stream: null;
  /** As the agent wrote it, without the newline; may be invalid UTF-8. */
  readonly bytes: Buffer;
  /** False: more of this line follows (or never came). */
  readonly ends: boolean;
}

export type PodLogEvent =
  | PodLogLine
  /** Following: all that was there has been told. Comes once. */
  | { readonly kind: "caughtUp" }
  /** Lines between the one before and the one after may be lost: the node put them away while nobody listened. */
  | { readonly kind: "gap" };
