/** Looks again and again until there is something to tell, or no time is left: the one loop for what nobody sends word of. */
import type { Clock } from "@moorage/core";

export interface Looking {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** By the clock; without it only the signal ends the looking. */
  readonly until?: number;
  /** Milliseconds between two looks, by those that the last one took. */
  readonly pauseMs: (tookMs: number) => number;
}

/** `late` tells the last look, after the time or the signal. Resolves with what was found; null: nothing was, up to then. */
export async function lookUntil<T>(
  look: (late: boolean) => T | null | Promise<T | null>,
  { clock, signal, until = Number.POSITIVE_INFINITY, pauseMs }: Looking,
): Promise<T | null> {
  for (;;) {
    const began = clock.now();
    const late = began >= until || signal.aborted;
    const found = await look(late);
    if (found !== null || late) return found;
    await clock.sleep(pauseMs(clock.now() - began), signal);
  }
}
