/** A clock in which a gap where nobody ran (a laptop that slept, a stopped process) counts for nothing. */
import type { Abort, Clock } from "@moorage/core";

export interface AwakeClockOptions {
  /** Milliseconds between two looks at the time while somebody sleeps: what a gap can count at most, with the slack. Default 2500. */
  readonly chunkMs?: number;
  /** How late a look may come and still count in full. Default 1000. */
  readonly slackMs?: number;
  /** A monotonic clock in milliseconds, which may or may not go on while the machine sleeps. Default: Node's own. */
  readonly rawNow?: () => number;
  /** Calls back after that many milliseconds, unless the returned function is called before. Default setTimeout. */
  readonly timer?: (ms: number, callback: () => void) => () => void;
}

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/**
 * One timer serves all sleepers. It comes at least every `chunkMs`, and time beyond the moment when it was due (and the
 * slack) is time in which nobody ran. Without a sleeper nothing ticks and time counts as the raw clock tells it.
 */
export function awakeClock(options: AwakeClockOptions = {}): Clock {
  const chunkMs = options.chunkMs ?? 2_500;
  const slackMs = options.slackMs ?? 1_000;
  const rawNow = options.rawNow ?? nodeNow;
  const timer = options.timer ?? nodeTimer;
  const sleepers = new Set<Sleeper>();
  let counted = 0;
  let last = rawNow();
  let tick: { due: number; cancel: () => void } | null = null;
  /** When the first sleeper is due. */
  let next = Number.POSITIVE_INFINITY;

  function now(): number {
    const raw = rawNow();
    const latest = tick === null ? raw : Math.min(raw, tick.due + slackMs);
    counted += Math.max(0, latest - last);
    last = raw;
    return counted;
  }

  function schedule(): void {
    const current = now();
    tick?.cancel();
    tick = null;
    next = Number.POSITIVE_INFINITY;
    for (const { due } of sleepers) next = Math.min(next, due);
    if (next === Number.POSITIVE_INFINITY) return;
    const ms = Math.min(chunkMs, Math.max(0, next - current));
    tick = { due: last + ms, cancel: timer(Math.ceil(ms), onTick) };
  }

  function onTick(): void {
    const current = now();
    for (const sleeper of sleepers) if (sleeper.due <= current) sleeper.wake();
    schedule();
  }

  function sleep(ms: number, signal?: Abort): Promise<void> {
    if (signal?.aborted === true || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        sleepers.delete(sleeper);
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const sleeper: Sleeper = { due: now() + ms, wake: done };
      const onAbort = (): void => {
        done();
        if (sleepers.size === 0 || sleeper.due <= next) schedule();
      };
      sleepers.add(sleeper);
      signal?.addEventListener("abort", onAbort);
      // Of many who sleep, most change nothing in when to look next.
      if (tick === null || sleeper.due < next) schedule();
    });
  }

  return { now, sleep };
}

/** `performance` is the same clock and brings a megabyte of modules along. */
function nodeNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function nodeTimer(ms: number, callback: () => void): () => void {
  const handle = setTimeout(callback, ms);
  return () => clearTimeout(handle);
}
