/**
 * Bytes of a pod's log, asked for with timestamps, to stamped lines: a border between two chunks may fall anywhere. The
 * kubelet puts the stamp before the first part of a line and joins the parts into which the runtime had split it.
 */

/** When the first part of a line was written; nothing but the text is exact. */
export interface Stamp {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Nanoseconds beside the milliseconds. */
  readonly rest: number;
}

export interface LogPiece {
  readonly kind: "piece";
  readonly stamp: Stamp;
  /** Where in its line these bytes begin. */
  readonly offset: number;
  readonly bytes: Buffer;
  /** The newline came. */
  readonly ends: boolean;
}

/** A line without a stamp is none of the agent's: the node says there why it cannot read on. */
export interface NodeWords {
  readonly kind: "node";
  readonly text: string;
}

const newline = 0x0a;
const space = 0x20;
/** Bytes: no stamp is as long. */
const longestStamp = 48;
/** Bytes of a line that are held; a longer one comes in pieces. */
const longestPiece: number = 1 << 20;
/** Bytes of the node's words that are looked at. */
const longestWords = 2_000;

export class LogLines {
  #stamp: Stamp | null = null;
  /** Bytes of this line that were given out. */
  #given = 0;
  #held: Uint8Array[] = [];
  #size = 0;
  readonly #longest: number;

  constructor(longest: number = longestPiece) {
    this.#longest = longest;
  }

  /** What this chunk completes. */
  *take(chunk: Uint8Array): Generator<LogPiece | NodeWords> {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(newline, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      this.#hold(part);
      if (end === -1) {
        if (this.#size >= this.#longest) yield* this.#give(false);
        return;
      }
      yield* this.#give(true);
      from = end + 1;
    }
  }

  /** What is left of a line whose end never came. */
  *rest(): Generator<LogPiece | NodeWords> {
    if (this.#size > 0 || this.#given > 0) yield* this.#give(false, true);
  }

  #hold(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#held.push(part);
    this.#size += part.length;
  }

  *#give(ends: boolean, last = false): Generator<LogPiece | NodeWords> {
    let bytes = Buffer.concat(this.#held, this.#size);
    if (this.#stamp === null) {
      const at = bytes.subarray(0, longestStamp).indexOf(space);
      // The runtime's last part of a line may be empty: then nothing follows the stamp.
      this.#stamp = parseStamp(bytes.toString("latin1", 0, at === -1 ? Math.min(bytes.length, longestStamp) : at));
      if (this.#stamp === null) {
        if (ends || last || this.#size >= this.#longest) {
          this.#begin();
          if (bytes.length > 0) yield { kind: "node", text: bytes.toString("utf8", 0, longestWords) };
        }
        return;
      }
      bytes = bytes.subarray(at === -1 ? bytes.length : at + 1);
    }
    const piece: LogPiece = { kind: "piece", stamp: this.#stamp, offset: this.#given, bytes, ends };
    this.#held = [];
    this.#size = 0;
    this.#given += bytes.length;
    if (ends || last) this.#begin();
    yield piece;
  }

  #begin(): void {
    this.#stamp = null;
    this.#given = 0;
    this.#held = [];
    this.#size = 0;
  }
}

/** RFC 3339 with up to nine digits behind the second, in any zone. */
export function parseStamp(text: string): Stamp | null {
  const [, seconds, fraction = "", zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  if (seconds === undefined || zone === undefined) return null;
  const digits = fraction.padEnd(9, "0");
  const time = Date.parse(`${seconds}.${digits.slice(0, 3)}${zone}`);
  return Number.isNaN(time) ? null : { text, time, rest: Number(digits.slice(3)) };
}

export function isBefore(one: Stamp, other: Stamp): boolean {
  return one.time === other.time ? one.rest < other.rest : one.time < other.time;
}
