/**
 * How an agent's output is stored: the container runtimes' log format, one record a line,
 * `2026-01-31T12:00:00.000Z stdout F text`. `F` ends a line, `P` is a piece of one that goes on in the next record of
 * the same stream: the texts of a stream, with a newline after each `F`, are exactly the bytes that the agent wrote.
 * Records of the stream `moorage` are notes of ours (lost output), and no bytes of the agent's.
 * The files of one directory are `output-000001.log`, `output-000002.log`, …: rotation begins the next number, a file
 * is never renamed or truncated, the oldest are removed.
 */

export type LogStream = "stdout" | "stderr" | "moorage";

/** A line, or a piece of a line that is too long to be held. */
export interface LogLine {
  readonly kind: "line";
  /** Milliseconds since 1970, of its first byte. */
  readonly time: number;
  readonly stream: LogStream;
  /** As the agent wrote it, without the newline; may be invalid UTF-8. */
  readonly bytes: Buffer;
  /** False: more of this line follows (or never came). */
  readonly ends: boolean;
}

/** One stored record. */
export interface LogRecord {
  readonly time: number;
  readonly stream: LogStream;
  readonly bytes: Buffer;
  readonly ends: boolean;
}

/** Bytes of the agent's in one record at most; more of a line goes on in the next. */
export const longestPiece = 65_536;
export const newline = 0x0a;

/** What stands before the text of a record. `time` in milliseconds since 1970. */
export function recordHead(time: number, stream: LogStream, ends: boolean): Buffer {
  return Buffer.from(`${new Date(time).toISOString()} ${stream} ${ends ? "F" : "P"} `, "latin1");
}

/** The record in one line without its newline, or null for what is none, such as what a full disk cut off. */
export function parseRecord(line: Buffer): LogRecord | null {
  const [, at = "", stream, flag] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (stdout|stderr|moorage) ([FP]) /.exec(line.toString("latin1", 0, 40)) ??
    [];
  const time = Date.parse(at);
  if (stream === undefined || Number.isNaN(time)) return null;
  const bytes = line.subarray(at.length + stream.length + 4);
  return { time, stream: stream as LogStream, bytes, ends: flag === "F" };
}
