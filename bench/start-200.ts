// What it takes to start 200 agents at once on two cores, against 200 bare boots of the same Node at once.
import { join } from "node:path";
import type { Pair, Reading } from "./measure.ts";
import { inTurn, rounds, spread } from "./measure.ts";
import type { Place } from "./place.ts";
import { fleetNames, onTwoCores, sleepingFleet } from "./place.ts";
import { run, runAtOnce } from "./run-process.ts";

const count = 200;

export async function start200(place: Place): Promise<Reading[]> {
  const names = fleetNames(count);
  const file = sleepingFleet(place, names);
  const ours = async (): Promise<number> => {
    const state = join(place.folder(), "state");
    const deploy = onTwoCores([...place.moorage, "deploy", "--file", file, "--state", state, "--json"]);
    const { ms, stdout } = await run(deploy, place);
    const started = stdout.match(/"started"/g)?.length ?? 0;
    if (started !== count) throw new Error(`${started} agents were started instead of ${count}`);
    await place.endAgents(state);
    return ms / 1_000;
  };
  const baseline = async (): Promise<number> => (await runAtOnce(count, onTwoCores(place.bareBoot), place)) / 1_000;
  const limit = { kind: "atMost", value: 2 } as const;
  const compared = (pair: Pair): number => pair.ours / pair.baseline;
  const sample = inTurn(ours, baseline);
  const samples = await rounds({ least: 3, most: 6, limit, signal: place.signal, sample, compared });
  const seconds = { unit: "s", value: spread(samples.map((pair) => pair.ours)) } as const;
  const bare = { unit: "s", value: spread(samples.map((pair) => pair.baseline)) } as const;
  const ratio = { unit: "×", value: spread(samples.map(compared)) } as const;
  const what = "start of 200 agents at once";
  const against = "200 bare boots at once";
  return [
    { what, ours: seconds, against, baseline: bare, compared: ratio, limit },
    { what, ours: seconds, against, baseline: bare, compared: seconds, limit: { kind: "under", value: 30 } },
  ];
}
