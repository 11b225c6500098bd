/** Writes an agent's output into files that are rotated by size, and survives a full disk. */
import fs from "node:fs";
import { logFileNumbers, logFilePath } from "./log-files.ts";
import { longestPiece, newline, recordHead } from "./log-format.ts";

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
export function openLogWriter(options: LogWriterOptions): LogWriter {
  return new RotatingLog(options);
}

const defaultMaxBytes = 10 << 20;
const defaultKeep = 5;
/** How far a file may grow beyond its size for a line that does not end. */
const longestWait = 1 << 20;

class RotatingLog implements LogWriter {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #keep: number;
  readonly #wallTime: () => number;
  #number: number;
  #file: number | null = null;
  #size = 0;
  /** The end of the file is a piece of a record that could not be taken back. */
  #torn = false;
  #lost = 0;
  #untold = 0;
  #fault = "";

  constructor(options: LogWriterOptions) {
    this.#directory = options.directory;
    this.#maxBytes = options.maxBytes ?? defaultMaxBytes;
    this.#keep = Math.max(1, options.keep ?? defaultKeep);
    this.#wallTime = options.wallTime ?? Date.now;
    this.#number = logFileNumbers(options.directory).at(-1) ?? 0;
  }

  get lostBytes(): number {
    return this.#lost;
  }

  write(stream: "stdout" | "stderr", bytes: Buffer): void {
    const time = this.#wallTime();
    for (let rest = bytes; rest.length > 0; ) {
      const part = this.#untilRotation(rest);
      if (!this.#store(records(time, stream, part), time)) this.#lose(part.length);
      rest = rest.subarray(part.length);
      const endsLine = part[part.length - 1] === newline;
      if (this.#size >= this.#maxBytes && (endsLine || this.#size >= this.#maxBytes + longestWait)) this.#rotate();
    }
  }

  close(): void {
    if (this.#untold > 0) this.#store(Buffer.alloc(0), this.#wallTime());
    if (this.#file !== null) attempt(() => fs.closeSync(this.#file ?? -1));
    this.#file = null;
  }

  /** All of it, or what ends with the last line that the present file still takes. */
  #untilRotation(bytes: Buffer): Buffer {
    const room = Math.max(0, this.#maxBytes - this.#size);
    if (bytes.length < room) return bytes;
    const end = bytes.indexOf(newline, Math.max(0, room - 1));
    return end < 0 ? bytes : bytes.subarray(0, end + 1);
  }

  #store(text: Buffer, time: number): boolean {
    if (this.#file === null && !this.#openNext()) return false;
    const parts = [text];
    if (this.#untold > 0) parts.unshift(this.#lossNote(time));
    if (this.#torn) parts.unshift(Buffer.from("\n"));
    const all = Buffer.concat(parts);
    if (!this.#append(all)) return false;
    this.#size += all.length;
    this.#torn = false;
    this.#untold = 0;
    return true;
  }

  #append(bytes: Buffer): boolean {
    const file = this.#file ?? -1;
    let written = 0;
    try {
      while (written < bytes.length) written += fs.writeSync(file, bytes, written);
      return true;
    } catch (fault) {
      this.#fault = codeOf(fault);
      // Readers take whole records only: a cut one at the end can go before anybody has seen it.
      if (written > 0 && !attempt(() => fs.ftruncateSync(file, this.#size))) {
        this.#size += written;
        this.#torn = true;
      }
      return false;
    }
  }

  #lose(bytes: number): void {
    this.#lost += bytes;
    this.#untold += bytes;
  }

  #lossNote(time: number): Buffer {
    const text = `${this.#untold} bytes of output were lost here (${this.#fault})\n`;
    return Buffer.concat([recordHead(time, "moorage", true), Buffer.from(text)]);
  }

  /** Where the next file cannot be made, the present one goes on. */
  #rotate(): void {
    const before = this.#file;
    if (!this.#openNext()) return;
    if (before !== null) attempt(() => fs.closeSync(before));
    for (const number of logFileNumbers(this.#directory).filter((each) => each <= this.#number - this.#keep))
      attempt(() => fs.unlinkSync(logFilePath(this.#directory, number)));
  }

  #openNext(): boolean {
    const number = this.#number + 1;
    try {
      this.#file = fs.openSync(logFilePath(this.#directory, number), "ax", 0o600);
    } catch (fault) {
      this.#fault = codeOf(fault);
      // Somebody else has made it: the one after it is tried next time.
      if (this.#fault === "EEXIST") this.#number = number;
      return false;
    }
    this.#number = number;
    this.#size = 0;
    this.#torn = false;
    return true;
  }
}

/** The records of some output of one stream. A last piece without its newline is a record too: nothing is held back. */
function records(time: number, stream: "stdout" | "stderr", bytes: Buffer): Buffer {
  const [full, partial] = [recordHead(time, stream, true), recordHead(time, stream, false)];
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(newline, at);
    const ends = end >= 0 && end - at <= longestPiece;
    const until = ends ? end : Math.min(end < 0 ? bytes.length : end, at + longestPiece);
    parts.push(ends ? full : partial, bytes.subarray(at, until), lineEnd);
    at = ends ? until + 1 : until;
  }
  return Buffer.concat(parts);
}

const lineEnd = Buffer.from("\n");

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function codeOf(fault: unknown): string {
  return (fault as NodeJS.ErrnoException).code ?? "unknown fault";
}
