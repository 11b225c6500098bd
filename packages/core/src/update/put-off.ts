/** How long what was put off waits, and how often an agent may put a bundle off. */
const firstMs = 1_000;
const longestMs = 300_000;

/** From 1 s, doubling, to 5 min; whoever waits adds jitter. `tries` counts failures in a row, from 1. */
export function retryAfterMs(tries: number): number {
  return Math.min(firstMs * 2 ** Math.min(tries - 1, 16), longestMs);
}

/** How often an agent may say "not now" before a person is told. */
export const notNowAtMost = 5;
