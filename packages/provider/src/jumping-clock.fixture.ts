/** A clock for tests that stands still until it is told how far to go: nothing waits for real, and nothing is over too soon. */
import type { Abort, Clock } from "@moorage/core";

export interface JumpingClock extends Clock {
  /** Milliseconds; whoever slept no longer than that wakes up. */
  jump(ms: number): void;
}

export function jumpingClock(): JumpingClock {
  let now = 0;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => now,
    sleep(ms: number, signal?: Abort): Promise<void> {
      if (signal?.aborted === true || ms <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const sleeper = { until: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", wake);
      });
    },
    jump(ms) {
      now += ms;
      for (const { until, wake } of sleepers) if (until <= now) wake();
    },
  };
}
