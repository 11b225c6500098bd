/** The seeds whose histories once broke a promise. */
import { readFileSync } from "node:fs";

export function knownSeeds(): number[] {
  const text = readFileSync(new URL("./seeds.json", import.meta.url), "utf8");
  const { seeds } = JSON.parse(text) as { seeds: { seed: number }[] };
  return seeds.map(({ seed }) => seed);
}
