/** Seeded chance: the same keys give the same stream, whatever else is drawn elsewhere. */
import type { Random } from "@moorage/core";

export interface Chance {
  /** A number in [0, 1). */
  fraction(): number;
  /** A whole number in [0, n). */
  below(n: number): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** True with that probability. */
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
}

/** A stream of its own for these keys (splitmix32), so that leaving out one step of a history moves no other. */
export function chanceOf(...keys: readonly number[]): Chance {
  let state = 0x9e3779b9;
  for (const key of keys) state = mixed(state ^ mixed((key | 0) + 0x85ebca6b));
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    return mixed(state) >>> 0;
  };
  const fraction = (): number => next() / 0x1_0000_0000;
  const below = (n: number): number => Math.floor(fraction() * n);
  return {
    fraction,
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => fraction() < probability,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
  };
}

/** What one caller of a history draws its tokens from. */
export function randomOf(seed: number, caller: number): Random {
  const chance = chanceOf(seed, caller, -1);
  return {
    token: (digits) => Array.from({ length: digits }, () => chance.below(16).toString(16)).join(""),
    fraction: () => chance.fraction(),
  };
}

function mixed(value: number): number {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return x ^ (x >>> 15);
}
