// What it takes to start 200 agents at once through one process, against the least that makes the same objects and waits for them.
import { setTimeout as sleep } from "node:timers/promises";
import type { Pair, Reading } from "../measure.ts";
import { inTurn, rounds, spread } from "../measure.ts";
import type { Place } from "../place.ts";
import { fleetNames } from "../place.ts";
import { fakeSleeper, mustRun, openAgents } from "./agents.ts";
import { bareStarts } from "./bare-starts.ts";
import type { Ground } from "./ground.ts";

const count = 200;
const nodes = 2;

export async function clusterStarts200(ground: Ground, { signal }: Place): Promise<Reading[]> {
  await ground.fakeNodes(nodes);
  const template = fakeSleeper(ground);
  const inNamespace = async (work: (namespace: string) => Promise<unknown>): Promise<number> => {
    const namespace = await ground.namespace();
    const began = performance.now();
    await work(namespace);
    const ms = performance.now() - began;
    await ground.remove(namespace);
    // The controllers are not done with it for a while.
    await sleep(2_000, undefined, { signal });
    return ms / 1_000;
  };
  const ours = (): Promise<number> =>
    inNamespace(async (namespace) => {
      const agents = openAgents(ground, namespace, signal);
      try {
        const outcomes = await Promise.all(fleetNames(count).map((name) => agents.start(name, template)));
        for (const outcome of outcomes) mustRun(outcome);
      } finally {
        agents.close();
      }
    });
  const baseline = (): Promise<number> =>
    inNamespace((namespace) => bareStarts(ground, namespace, fleetNames(count), signal));
  const limit = { kind: "under", value: 30 } as const;
  const samples = await rounds({
    least: 3,
    most: 7,
    limit,
    signal,
    sample: inTurn(ours, baseline),
    compared: (pair: Pair) => pair.ours,
  });
  const seconds = { unit: "s", value: spread(samples.map((pair) => pair.ours)) } as const;
  return [
    {
      what: "start of 200 agents at once in one process",
      ours: seconds,
      against: "bare creates of 200 pods",
      baseline: { unit: "s", value: spread(samples.map((pair) => pair.baseline)) },
      compared: seconds,
      limit,
    },
  ];
}
