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
