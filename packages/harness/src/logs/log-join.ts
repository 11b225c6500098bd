/** Makes lines of stored records: the pieces of a stream's line come together, up to a bound. */
import type { LogLine, LogRecord, LogStream } from "./log-format.ts";

/** Bytes above which a line is given out in pieces. */
const longestLine = 1 << 20;
const mostPieces = 256;

interface Pending {
  readonly time: number;
  readonly pieces: Buffer[];
  size: number;
}

export interface LineJoiner {
  /** What this record completes. */
  take(record: LogRecord): readonly LogLine[];
  /** What has begun and has no end. */
  rest(ends: boolean): readonly LogLine[];
}

export function lineJoiner(): LineJoiner {
  const pending = new Map<LogStream, Pending>();

  function flush(stream: LogStream, ends: boolean): LogLine[] {
    const line = pending.get(stream);
    pending.delete(stream);
    return line === undefined
      ? []
      : [{ kind: "line", time: line.time, stream, bytes: Buffer.concat(line.pieces, line.size), ends }];
  }

  function rest(ends: boolean): LogLine[] {
    return [...pending.keys()].flatMap((stream) => flush(stream, ends));
  }

  function take(record: LogRecord): LogLine[] {
    const { time, stream, bytes, ends } = record;
    // A note tells of a loss: what comes after it does not go on where the stream was.
    if (stream === "moorage") return [...rest(true), { kind: "line", time, stream, bytes, ends }];
    const line = pending.get(stream) ?? { time, pieces: [], size: 0 };
    pending.set(stream, line);
    // A copy: the record is a view into a whole read, which a small piece must not keep.
    line.pieces.push(ends ? bytes : Buffer.from(bytes));
    line.size += bytes.length;
    if (line.pieces.length > mostPieces) line.pieces.splice(0, line.pieces.length, Buffer.concat(line.pieces));
    return ends || line.size >= longestLine ? flush(stream, ends) : [];
  }

  return { take, rest };
}
