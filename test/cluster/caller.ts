/** A caller of its own process for the suite on a cluster: starts or stops, and may die at a request. */
import type { StartOutcome, StopOutcome } from "@moorage/core";
import { createAbort, startAgent, stopAgent } from "@moorage/core";
import { awakeClock } from "@moorage/harness";
import { sha256, systemRandom } from "@moorage/keys";
import { openCluster } from "@moorage/kubernetes";
import type { Ask, Death } from "../conformance/bench.ts";
import { dyingAt } from "../conformance/dying-at.ts";
import { startRequestOf, subjectOf } from "./kubernetes-agent.ts";
import { thisCluster } from "./this-cluster.ts";

export interface CallerTask {
  readonly kind: "start" | "stop";
  readonly namespace: string;
  readonly agent: string;
  readonly ask: Ask;
  readonly deadlineMs: number;
  readonly death: Death | null;
}

const outcome = await run(JSON.parse(process.argv[2] ?? "") as CallerTask);
process.stdout.write(`${JSON.stringify(outcome)}\n`);

async function run({
  kind,
  namespace,
  agent,
  ask,
  deadlineMs,
  death,
}: CallerTask): Promise<StartOutcome | StopOutcome> {
  const here = thisCluster();
  const clock = awakeClock();
  const access = { ...here.access(), namespace };
  const cluster = openCluster({ access, env: process.env, clock, random: systemRandom, now: () => Date.now() });
  const substrate = death === null ? cluster.substrate : dyingAt(cluster.substrate, death);
  const journal = { append: (): void => undefined };
  const ports = { substrate, clock, random: systemRandom, journal, signal: createAbort().signal };
  try {
    return kind === "start"
      ? await startAgent({ ...startRequestOf(agent, here.image, ask), deadlineMs }, { ...ports, digest: sha256 })
      : await stopAgent(subjectOf(agent, deadlineMs), ports);
  } finally {
    cluster.close();
  }
}
