// The agents of these rows and how they are started: the library's own loop in this process, as `deploy` has it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type {
  Condition,
  Inventory,
  JournalEntry,
  PodTemplate,
  StartOutcome,
  StopOutcome,
  Substrate,
} from "@moorage/core";
import { moorageProfile, nameIdentity, startAgent, stopAgent } from "@moorage/core";
import { awakeClock } from "@moorage/harness";
import { sha256, systemRandom } from "@moorage/keys";
import type { Cluster } from "@moorage/kubernetes";
import { openCluster, podTemplate } from "@moorage/kubernetes";
import { accessBy } from "../../test/cluster/this-cluster.ts";
import { onFakeNodes } from "../../test/cluster/up/fake-nodes.ts";
import type { Place } from "../place.ts";
import type { Ground } from "./ground.ts";

export interface Agents {
  readonly substrate: Substrate;
  readonly inventory: Inventory;
  readonly cluster: Cluster;
  start(agent: string, template: PodTemplate, deadlineMs?: number): Promise<StartOutcome>;
  stop(agent: string): Promise<StopOutcome>;
  close(): void;
}

const patienceMs = 120_000;

export function openAgents({ kubeconfig }: Pick<Ground, "kubeconfig">, namespace: string, signal: AbortSignal): Agents {
  const clock = awakeClock();
  const access = accessBy(kubeconfig, namespace);
  const cluster = openCluster({ access, env: {}, clock, random: systemRandom, now: () => Date.now() });
  const journal = { append: (_entry: JournalEntry): void => undefined };
  const ports = { substrate: cluster.substrate, clock, random: systemRandom, journal, signal };
  return {
    substrate: cluster.substrate,
    inventory: cluster.inventory,
    cluster,
    start: (agent, template, deadlineMs = patienceMs) =>
      startAgent(
        { ...subject(agent, deadlineMs), template, notes: { name: agent }, secrets, settleMs: 0 },
        { ...ports, digest: sha256 },
      ),
    stop: (agent) => stopAgent(subject(agent, patienceMs), ports),
    close: () => cluster.close(),
  };
}

const secrets: ReadonlyMap<string, string> = new Map([["API_KEY", "not-a-real-value"]]);

function subject(agent: string, deadlineMs: number) {
  return { agent, profile: moorageProfile, identity: nameIdentity(agent, sha256), deadlineMs };
}

/** It sleeps, and ends at once when it is asked to. */
export function sleeper({ image }: Pick<Ground, "image">, change: Partial<PodTemplate> = {}): PodTemplate {
  const declared = podTemplate({
    name: "scribe",
    fleet: "scribe",
    image,
    command: ["/bin/sh", "-c", "trap 'exit 0' TERM; sleep 100000 & wait"],
    env: {},
    secretKeys: ["API_KEY"],
    graceMs: 8_000,
    resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "64Mi" } },
  });
  return { ...declared, ...change };
}

/** The same on a node that is none. */
export function fakeSleeper(ground: Pick<Ground, "image">): PodTemplate {
  return sleeper(ground, { nodeSelector: { ...onFakeNodes.nodeSelector }, tolerations: [...onFakeNodes.tolerations] });
}

/** Throws unless it came to be running. */
export function mustRun(outcome: StartOutcome): StartOutcome {
  if (outcome.outcome === "started" || outcome.outcome === "alreadyRunning") return outcome;
  throw new Error(`a start ended as ${outcome.outcome}: ${describe(outcome.condition)}`);
}

function describe(condition: Condition | null): string {
  return condition === null ? "no reason" : `${condition.code}: ${condition.message}`;
}

/** A declaration of one agent that sleeps; resolves to its path. */
export function declareSleeper({ image }: Pick<Ground, "image">, place: Place): string {
  const file = join(place.folder(), "agent.yaml");
  writeFileSync(
    file,
    `apiVersion: moorage.dev/v1alpha1
kind: Agent
metadata: { name: scribe }
spec:
  run:
    image: ${image}
    command: [/bin/sh, -c, "trap 'exit 0' TERM; sleep 100000 & wait"]
`,
  );
  return file;
}
