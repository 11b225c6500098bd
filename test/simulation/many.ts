/** Plays the histories of consecutive seeds until a promise breaks, the time is over or all are played. */
import type { KindName } from "./kinds.ts";
import { kinds } from "./kinds.ts";

export interface Share {
  /** One after the other. */
  readonly kinds: readonly KindName[];
  readonly first: number;
  /** Every how many seeds: workers share the line of seeds among them. */
  readonly stride: number;
  /** How many of each kind. */
  readonly histories: number;
  /** Milliseconds of real time. */
  readonly ms: number;
}

export interface Broken {
  readonly kind: KindName;
  readonly seed: number;
}

export interface Result {
  readonly played: number;
  /** The first whose history broke a promise. */
  readonly broken: Broken | null;
}

/** Each kind has its part of the time, since one history of one kind may take as long as ten of the other. */
export async function playMany(share: Share, now: () => number): Promise<Result> {
  const { first, stride, histories, ms } = share;
  let played = 0;
  for (const kind of share.kinds) {
    const until = now() + ms / share.kinds.length;
    for (let at = 0; at < histories && now() < until; at += 1) {
      const seed = first + at * stride;
      played += 1;
      if (await kinds[kind].breaks(seed)) return { played, broken: { kind, seed } };
    }
  }
  return { played, broken: null };
}
