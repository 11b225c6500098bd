/** Reads an agent's stored output: the last lines, since a time, following through rotation. */
import type { Abort, Clock } from "@moorage/core";
import { LogCursor } from "./log-cursor.ts";
import type { LogLine } from "./log-format.ts";
import { lineJoiner } from "./log-join.ts";
import { type LogPosition, startOfTail, startOfTime } from "./log-start.ts";

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

const pollMs = 100;
/** Lines of two streams may be interleaved: so many more are read, so that the first of the wanted ones is whole. */
const spareLines = 16;
/** What the last lines may hold in memory, in bytes: the oldest of them give way. */
const tailBytes = 64 << 20;

/** Whole lines in their order; a line above 1 MiB comes in pieces. An absent directory has no lines. */
export async function* readLog(options: ReadLogOptions): AsyncGenerator<LogEvent, void, undefined> {
  const { directory, tail, since, follow } = options;
  const cursor = new LogCursor(directory, await startOf(options));
  const joiner = lineJoiner();
  const wanted = ({ time }: LogLine): boolean => since === undefined || time >= since;
  let last: LastLines | null = tail === undefined ? null : new LastLines(tail);
  let caughtUp = false;
  try {
    for (;;) {
      const over = follow === undefined || follow.until.aborted;
      for (let read = await cursor.next(); read.kind !== "end"; read = await cursor.next()) {
        if (read.kind === "gap") yield read;
        else
          for (const line of read.records.flatMap((record) => joiner.take(record)).filter(wanted))
            if (last === null) yield line;
            else last.push(line);
      }
      if (over)
        for (const line of joiner.rest(false).filter(wanted))
          if (last === null) yield line;
          else last.push(line);
      if (last !== null) yield* last.lines;
      last = null;
      if (follow === undefined) return;
      if (!caughtUp) yield { kind: "caughtUp" };
      caughtUp = true;
      if (over) return;
      await follow.clock.sleep(pollMs, follow.until);
    }
  } finally {
    await cursor.close();
  }
}

async function startOf({ directory, tail, since }: ReadLogOptions): Promise<LogPosition | null> {
  if (since !== undefined) return startOfTime(directory, since);
  return tail === undefined ? null : startOfTail(directory, tail + spareLines);
}

class LastLines {
  readonly lines: LogLine[] = [];
  readonly #most: number;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  push(line: LogLine): void {
    this.lines.push(line);
    this.#bytes += line.bytes.length;
    while (this.lines.length > this.#most || (this.#bytes > tailBytes && this.lines.length > 1))
      this.#bytes -= this.lines.shift()?.bytes.length ?? 0;
  }
}
