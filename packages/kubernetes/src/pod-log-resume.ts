/**
 * What of a log was told, so that a broken connection loses and doubles nothing: a node can only be asked for everything
 * since a whole second, and stdout and stderr are stamped apart, so that stamps may be a little out of order.
 */
import type { LogPiece, Stamp } from "./pod-log-lines.ts";
import { isBefore } from "./pod-log-lines.ts";

/** Milliseconds before the newest stamp from which a node is asked again. */
const overlapMs = 1_000;

interface OpenLine {
  readonly stamp: string;
  /** How many of its bytes were told. */
  readonly bytes: number;
}

export interface NewPiece {
  readonly bytes: Buffer;
  /** What was told last did not come again before this: lines between them may be lost. */
  readonly gap: boolean;
}

export class LogResume {
  /** How many whole lines of a stamp were told, by the second; only of the last seconds. */
  readonly #told = new Map<number, Map<string, number>>();
  #newest: Stamp | null = null;
  readonly #bounded: boolean;
  #first: Stamp | null = null;
  /** A line that was told in part. */
  #open: OpenLine | null = null;
  #last: string | null = null;

  /** What this connection has to repeat. */
  #repeated = new Map<string, number>();
  #repeatedOpen: OpenLine | null = null;
  #lastCame = true;
  /** How many bytes of the line that is being read were told before. */
  #skip = 0;

  /** `bounded`: what is before the first line that is told was not asked for. */
  constructor(bounded: boolean) {
    this.#bounded = bounded;
  }

  /** A whole second, in milliseconds since 1970, from which to ask; null while nothing was told. */
  get since(): number | null {
    return this.#newest === null ? null : secondOf(this.#newest) * 1000 - overlapMs;
  }

  /** A connection begins, which repeats everything from `since` on. */
  connect(): void {
    this.#repeated = new Map([...this.#told.values()].flatMap((stamps) => [...stamps]));
    this.#repeatedOpen = this.#open;
    this.#lastCame = this.#last === null;
  }

  /** Another container's log begins. */
  reset(): void {
    this.#told.clear();
    this.#newest = null;
    this.#first = null;
    this.#open = null;
    this.#last = null;
  }

  /** What of this piece is new; null when nothing is. */
  take({ stamp, offset, bytes, ends }: LogPiece): NewPiece | null {
    if (offset === 0) this.#skip = this.#skipOf(stamp);
    if (this.#skip === Number.POSITIVE_INFINITY) return null;
    const fresh = bytes.subarray(Math.min(bytes.length, Math.max(0, this.#skip - offset)));
    if (fresh.length === 0 && !ends) return null;
    const gap = !this.#lastCame;
    this.#lastCame = true;
    this.#note(stamp, ends ? null : { stamp: stamp.text, bytes: offset + bytes.length });
    return { bytes: fresh, gap };
  }

  #skipOf(stamp: Stamp): number {
    if (stamp.text === this.#last) this.#lastCame = true;
    if (this.#bounded && this.#first !== null && isBefore(stamp, this.#first)) return Number.POSITIVE_INFINITY;
    const times = this.#repeated.get(stamp.text) ?? 0;
    if (times > 0) {
      this.#repeated.set(stamp.text, times - 1);
      return Number.POSITIVE_INFINITY;
    }
    if (this.#repeatedOpen?.stamp !== stamp.text) return 0;
    const { bytes } = this.#repeatedOpen;
    this.#repeatedOpen = null;
    return bytes;
  }

  #note(stamp: Stamp, open: OpenLine | null): void {
    this.#open = open;
    this.#last = stamp.text;
    this.#first ??= stamp;
    const since = this.since;
    if (this.#newest === null || isBefore(this.#newest, stamp)) this.#newest = stamp;
    if (this.since !== since)
      for (const second of this.#told.keys()) if (second * 1000 < (this.since ?? 0)) this.#told.delete(second);
    if (open !== null) return;
    const second = secondOf(stamp);
    const stamps = this.#told.get(second) ?? new Map<string, number>();
    this.#told.set(second, stamps.set(stamp.text, (stamps.get(stamp.text) ?? 0) + 1));
  }
}

function secondOf({ time }: Stamp): number {
  return Math.floor(time / 1000);
}
