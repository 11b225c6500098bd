/** Writes an agent's output into files that are rotated by size, and survives a full disk. */

export interface LogWriterOptions {
  /** Exists already. */
  readonly directory: string;
  /** Bytes after which the next file begins, at the next end of a line. Default 10 MiB. */
  readonly maxBytes?: number;
  /** Files that are kept, the one in use included. Default 5. */
  readonly keep?: number;
  /** Milliseconds since 1970, for the records. Default Date.now. */
  readonly wallTime?: () => number;
}

export interface LogWriter {
  /** Writes what came, at once and without holding anything back. Never throws: what does not fit is counted and told later. */
  write(stream: "stdout" | "stderr", bytes: Buffer): void;
  /** Bytes of output that could not be stored so far. */
  readonly lostBytes: number;
  /** Tells what was lost, where there is space for it, and closes the file. */
  close(): void;
}

/** Goes on after the files that are there, in a new one. Never throws. */
export function openLogWriter(_options: LogWriterOptions): LogWriter {
  throw new Error("not written yet");
}
