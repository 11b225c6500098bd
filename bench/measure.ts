// Measuring as ratios in one run: rounds of interleaved pairs, their medians and spread, and what a limit says to them.

/** The middle of a set of samples, and between what its middle half lies. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly samples: number;
}

export type Limit = { readonly kind: "atMost" | "under" | "atLeast"; readonly value: number };

/** In what a number is told: micro- and milliseconds, seconds, mebibytes, a rate; a ratio; a number of bare boots, or of requests. */
export type Unit = "µs" | "ms" | "s" | "MiB" | "/s" | "million/s" | "×" | "boots" | "requests";

export interface Quantity {
  readonly unit: Unit;
  readonly value: Spread;
}

/** One line of the table: ours, the named baseline of the same run, and how the two stand to the limit. */
export interface Reading {
  readonly what: string;
  readonly ours: Quantity;
  readonly against: string | null;
  readonly baseline: Quantity | null;
  readonly compared: Quantity;
  readonly limit: Limit;
}

/** Quartiles of at least one sample. */
export function spread(samples: readonly number[]): Spread {
  const at = (part: number): number => quantile(samples, part);
  return { median: at(0.5), low: at(0.25), high: at(0.75), samples: samples.length };
}

/** What that part of the samples does not exceed. */
export function quantile(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  const place = part * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** One number that was found from so many samples. */
export function exactly(value: number, samples = 1): Spread {
  return { median: value, low: value, high: value, samples };
}

function keeps(value: number, limit: Limit): boolean {
  switch (limit.kind) {
    case "atMost":
      return value <= limit.value;
    case "under":
      return value < limit.value;
    case "atLeast":
      return value >= limit.value;
    default:
      return limit.kind satisfies never;
  }
}

export function holds({ compared, limit }: Reading): boolean {
  return keeps(compared.value.median, limit);
}

export interface Rounds<T> {
  readonly least: number;
  /** Where the middle half of the rounds lies on both sides of the limit, other work on the machine disturbs: up to so many. */
  readonly most: number;
  readonly limit: Limit;
  readonly signal: AbortSignal;
  /** One round: ours and the baseline, one right after the other. */
  readonly sample: (round: number) => Promise<T>;
  /** What the limit is about, of one round. */
  readonly compared: (sample: T) => number;
}

/** No row takes much longer, however much else the machine does. */
const patienceMs = 60_000;

/** Samples round by round until it is clear on which side of the limit the result lies, or patience ends. */
export async function rounds<T>({ least, most, limit, signal, sample, compared }: Rounds<T>): Promise<T[]> {
  const samples: T[] = [];
  const began = performance.now();
  while (samples.length < most) {
    signal.throwIfAborted();
    samples.push(await sample(samples.length));
    if (performance.now() - began > patienceMs && samples.length >= 3) break;
    if (samples.length < least) continue;
    const { low, high } = spread(samples.map(compared));
    if (keeps(low, limit) === keeps(high, limit)) break;
  }
  return samples;
}

export interface Pair {
  readonly ours: number;
  readonly baseline: number;
}

export interface Pairs extends Omit<Rounds<Pair>, "compared"> {
  readonly what: string;
  readonly against: string;
  readonly unit: Unit;
}

/** Ours and the baseline; compared is the ratio of each pair. */
export async function pairs({ what, against, unit, ...plan }: Pairs): Promise<Reading> {
  const compared = ({ ours, baseline }: Pair): number => ours / baseline;
  const samples = await rounds({ ...plan, compared });
  return {
    what,
    ours: { unit, value: spread(samples.map(({ ours }) => ours)) },
    against,
    baseline: { unit, value: spread(samples.map(({ baseline }) => baseline)) },
    compared: { unit: "×", value: spread(samples.map(compared)) },
    limit: plan.limit,
  };
}

/** Both in turn, each first every other time: what came before weighs on both alike. */
export function inTurn(ours: () => Promise<number>, baseline: () => Promise<number>): (round: number) => Promise<Pair> {
  return async (round) => {
    if (round % 2 === 0) {
      const before = await baseline();
      return { ours: await ours(), baseline: before };
    }
    const before = await ours();
    return { ours: before, baseline: await baseline() };
  };
}
