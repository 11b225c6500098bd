/** Reads an agent's stored output: the last lines, since a time, following through rotation. */
import type { Abort, Clock } from "@moorage/core";
import type { LogLine } from "./log-format.ts";

export interface ReadLogOptions {
  readonly directory: string;
  /** Only the last so many lines of what is there. */
  readonly tail?: number;
  /** Only lines since this time, in milliseconds since 1970. */
  readonly since?: number;
  /** Goes on with what comes, until `until` aborts; what was written before that is still read. */
  readonly follow?: { readonly clock: Clock; readonly until: Abort };
}

export type LogEvent =
  | LogLine
  /** Following: all that was there has been told. Comes once. */
  | { readonly kind: "caughtUp" }
  /** Files were removed before they could be read. */
  | { readonly kind: "gap"; readonly files: number };

/** Whole lines in their order; a line above 1 MiB comes in pieces. An absent directory has no lines. */
export function readLog(_options: ReadLogOptions): AsyncIterable<LogEvent> {
  throw new Error("not written yet");
}

export interface NamedLog<Name> {
  readonly name: Name;
  readonly events: AsyncIterable<LogEvent>;
}

/** Several logs as one: what is there in the order of time, then what comes as it comes. `caughtUp` comes once, for all. */
export function mergeLogs<Name>(
  _logs: readonly NamedLog<Name>[],
): AsyncIterable<{ readonly name: Name; readonly event: LogEvent }> {
  throw new Error("not written yet");
}
