/** Plays the histories of consecutive seeds until a promise breaks, the time is over or all are played. */
import { play } from "./play.ts";
import { randomHistory } from "./random-history.ts";

export interface Share {
  readonly first: number;
  /** Every how many seeds: workers share the line of seeds among them. */
  readonly stride: number;
  readonly histories: number;
  /** Milliseconds of real time. */
  readonly ms: number;
}

export interface Result {
  readonly played: number;
  /** The first seed whose history broke a promise. */
  readonly broken: number | null;
}

export async function playMany({ first, stride, histories, ms }: Share, now: () => number): Promise<Result> {
  const until = now() + ms;
  let played = 0;
  while (played < histories && now() < until) {
    const seed = first + played * stride;
    const { violations } = await play(randomHistory(seed));
    played += 1;
    if (violations.length > 0) return { played, broken: seed };
  }
  return { played, broken: null };
}
