// What a plan for 100,000 agents takes, without printing: the time, and the memory that it takes beside what was observed.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { FleetObservation } from "@moorage/core";
import { planUpdate, runtimeTargetOf } from "@moorage/core";
import { someFleet } from "./fleet.ts";
import type { Quantity, Reading, Unit } from "./measure.ts";
import { rounds, spread } from "./measure.ts";
import type { Place } from "./place.ts";

const agents = 100_000;

export async function planFleet({ signal }: Place): Promise<Reading[]> {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const observation = observe();
  const limit = { kind: "atMost", value: 100 } as const;
  const sample = (): Promise<{ ms: number; mebibytes: number }> => Promise.resolve(once(observation, collectGarbage));
  const samples = await rounds({ least: 9, most: 30, limit, signal, sample, compared: ({ ms }) => ms });
  const told = (what: string, unit: Unit, values: readonly number[], most: number): Reading => {
    const value: Quantity = { unit, value: spread(values) };
    return {
      what,
      ours: value,
      against: null,
      baseline: null,
      compared: value,
      limit: { kind: "atMost", value: most },
    };
  };
  return [
    told(
      "plan of 100,000 agents",
      "ms",
      samples.map(({ ms }) => ms),
      limit.value,
    ),
    told(
      "memory that it takes",
      "MiB",
      samples.map(({ mebibytes }) => mebibytes),
      160,
    ),
  ];
}

/** The heap is counted right before and after, what nothing holds any more taken out of it. */
function once(observation: FleetObservation, collectGarbage: () => void): { ms: number; mebibytes: number } {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const began = performance.now();
  const plan = planUpdate(observation);
  const ms = performance.now() - began;
  const mebibytes = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  if (plan.agents.length !== agents) throw new Error("the plan is not whole");
  return { ms, mebibytes };
}

function observe(): FleetObservation {
  const fleet = someFleet(agents);
  const [first] = fleet;
  if (first === undefined) throw new Error("there is no fleet");
  const target = runtimeTargetOf(first);
  const release = { buildId: "b2", target };
  const bundle = { target, catalogHash: `v1:sha256:${"f".repeat(64)}`, sequence: 2, digest: "d2" };
  return {
    fleet: "writers",
    epoch: 1,
    agents: fleet.map((fingerprint, at) => ({
      agent: `agent-${at}`,
      running: { buildId: at % 5 === 0 ? "b1" : "b2", fingerprint },
      takesPart: at % 2 === 0 ? "socket" : "nothing",
      takesEffect: "turn",
      quarantined: at % 50 === 0,
      release,
      bundle,
      version: `uid-${at}/7`,
    })),
  };
}
