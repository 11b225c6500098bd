/** When a trial ends well, by how the agent takes part; and how long what failed by itself waits. */
import type { Confirmed, Progress, Run } from "./life.ts";

export const noProgress: Progress = { turns: 0, baked: false, checked: false };

/** What the progress proves, or null while it proves nothing yet. */
export function proofOf(run: Run, { turns, baked, checked }: Progress): Confirmed["proof"] | null {
  if (!baked) return null;
  switch (run.takesPart) {
    case "socket":
      return turns >= run.turns ? "proven" : null;
    case "files":
      return checked || !run.check ? "proven" : null;
    case "nothing":
      return "unproven";
    default:
      return run.takesPart satisfies never;
  }
}

const firstMs = 1_000;
const longestMs = 300_000;

/** From 1 s, doubling, to 5 min; whoever waits adds jitter. `tries` counts failures in a row, from 1. */
export function retryAfterMs(tries: number): number {
  return Math.min(firstMs * 2 ** Math.min(tries - 1, 16), longestMs);
}

/** How often an agent may say "not now" before a person is told. */
export const notNowAtMost = 5;
