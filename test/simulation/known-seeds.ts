/** The seeds whose histories once broke a promise. */
import { readFileSync } from "node:fs";
import type { Broken } from "./many.ts";

export function knownSeeds(): Broken[] {
  const text = readFileSync(new URL("./seeds.json", import.meta.url), "utf8");
  const { seeds } = JSON.parse(text) as { seeds: { seed: number; kind?: Broken["kind"] }[] };
  return seeds.map(({ seed, kind = "starts" }) => ({ kind, seed }));
}
