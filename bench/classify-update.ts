// How many decisions about updates one core makes in a second: `classifyUpdate` and `evaluateBundle` over a fleet, strict about all of it.
import type { Fingerprint } from "@moorage/core";
import { classifyUpdate, evaluateBundle, runtimeTargetOf } from "@moorage/core";
import { someFleet } from "./fleet.ts";
import { medianMs } from "./in-process.ts";
import type { Reading } from "./measure.ts";
import { rounds, spread } from "./measure.ts";
import type { Place } from "./place.ts";

const running = someFleet(4_096);
const available: Fingerprint = someFleet(1)[0] ?? unreachable();
const bundle = { target: runtimeTargetOf(available), catalogHash: available.toolCatalogHash };

export function classifyUpdateRate(place: Place): Promise<Reading[]> {
  return rate("classifyUpdate on one core", place, (one) => classifyUpdate(one, available) === "cold");
}

export function evaluateBundleRate(place: Place): Promise<Reading[]> {
  return rate("evaluateBundle on one core", place, (one) => evaluateBundle(bundle, one).tier === "hot");
}

async function rate(what: string, { signal }: Place, decide: (one: Fingerprint) => boolean): Promise<Reading[]> {
  let decided = 0;
  const decideAll = (): void => {
    for (const one of running) if (decide(one)) decided += 1;
  };
  const limit = { kind: "atLeast", value: 5 } as const;
  const sample = (): Promise<number> => {
    const [ms = Number.NaN] = medianMs(60, [decideAll]);
    return Promise.resolve(running.length / ms / 1_000);
  };
  const rates = await rounds({ least: 15, most: 60, limit, signal, sample, compared: (each) => each });
  if (decided === 0) throw new Error("nothing was decided");
  const value = { unit: "million/s", value: spread(rates) } as const;
  return [{ what, ours: value, against: null, baseline: null, compared: value, limit }];
}

function unreachable(): never {
  throw new Error("a fleet of one has one");
}
