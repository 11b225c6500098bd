// What the digest of an intent with 50 variables costs, against `JSON.stringify` of the same template.
import type { ProcessTemplate } from "@moorage/core";
import { intentDigest } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import { medianMs } from "./in-process.ts";
import type { Pair, Reading } from "./measure.ts";
import { pairs } from "./measure.ts";
import type { Place } from "./place.ts";

const template: ProcessTemplate = {
  kind: "process",
  command: ["node", "agent.ts"],
  directory: "/home/someone/agents/scribe",
  buildId: `sha256:${"5c".repeat(32)}`,
  drainMs: 30_000,
  graceMs: 60_000,
  idleMs: null,
  health: { kind: "none" },
  catalog: null,
  identityKey: null,
  // In no order, as people write them.
  env: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`VARIABLE_${(at * 37) % 50}`, `the value ${at}`])),
  secretKeys: ["SECOND_KEY", "FIRST_KEY"],
};

const batch = 50;

export async function intentDigestCost({ signal }: Place): Promise<Reading[]> {
  let length = 0;
  const times = (work: () => string) => (): void => {
    for (let at = 0; at < batch; at += 1) length += work().length;
  };
  const work = [times(() => intentDigest(template, sha256)), times(() => JSON.stringify(template))];
  const sample = (): Promise<Pair> => {
    const [ours = Number.NaN, baseline = Number.NaN] = medianMs(40, work).map((ms) => (1_000 * ms) / batch);
    return Promise.resolve({ ours, baseline });
  };
  const reading = await pairs({
    what: "digest of an intent with 50 variables",
    against: "JSON.stringify",
    unit: "µs",
    least: 15,
    most: 60,
    limit: { kind: "atMost", value: 8 },
    signal,
    sample,
  });
  if (length === 0) throw new Error("nothing was written");
  return [reading];
}
