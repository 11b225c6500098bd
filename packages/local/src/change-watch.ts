/** Wakes whoever waits for a change of the database, within a few milliseconds where the platform tells of writes. */
import type { FSWatcher } from "node:fs";
import { watch } from "node:fs";
import type { Abort, Clock } from "@moorage/core";

/** Watches the state directory as long as somebody waits; every committed write that concerns instances touches the database's file. */
export class ChangeWatch {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #watcher: FSWatcher | null = null;
  #closing: NodeJS.Timeout | null = null;
  readonly #shared = new Map<string, unknown>();
  #turn = 0;

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** Moves on with every change. Take it before a read, and hand it to `next`: what comes in between is not missed. */
  begin(): number {
    this.#open();
    return this.#turn;
  }

  /** Resolves at the first change since `turn`, after `ms` milliseconds, or when the signal aborts. */
  async next(turn: number, ms: number, signal?: Abort): Promise<void> {
    if (this.#turn !== turn || signal?.aborted === true) return;
    this.#open();
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    signal?.addEventListener("abort", abort);
    this.#waiting.add(abort);
    try {
      await this.#clock.sleep(ms, stop.signal);
    } finally {
      this.#waiting.delete(abort);
      signal?.removeEventListener("abort", abort);
      if (this.#waiting.size === 0) this.#closeSoon();
    }
  }

  /** What one change makes many want is made once, for all who heard of it by the same turn. */
  share<T>(turn: number, key: string, make: () => T): T {
    if (turn !== this.#turn) return make();
    const made = this.#shared.has(key) ? (this.#shared.get(key) as T) : make();
    this.#shared.set(key, made);
    return made;
  }

  close(): void {
    if (this.#closing !== null) clearTimeout(this.#closing);
    this.#closing = null;
    this.#watcher?.close();
    this.#watcher = null;
    this.#wake();
  }

  #open(): void {
    if (this.#closing !== null) clearTimeout(this.#closing);
    this.#closing = null;
    if (this.#watcher !== null) return;
    try {
      this.#watcher = watch(this.#directory, { persistent: false }, (_event, file) => {
        if (file === null || file === "state.db") this.#wake();
      });
      // The directory is gone, or there are no watches left: the waits end by their time.
      this.#watcher.on("error", () => this.close());
    } catch {
      this.#watcher = null;
    }
  }

  /** Between two waits of one loop the watch stays. */
  #closeSoon(): void {
    this.#closing ??= setTimeout(() => this.close(), 1_000).unref();
  }

  #wake(): void {
    this.#turn += 1;
    this.#shared.clear();
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
