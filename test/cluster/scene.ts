/** One agent in a namespace of its own on the cluster of this run: the real loops on it, and what the world shows of it. */
import type { JournalEntry, ObservedInstance, PodTemplate, StartOutcome, StopOutcome, Substrate } from "@moorage/core";
import { createAbort, instanceName, moorageProfile, secretName, startAgent, stopAgent } from "@moorage/core";
import { awakeClock } from "@moorage/harness";
import { sha256, systemRandom } from "@moorage/keys";
import type { ClusterAccess, TransportLimits } from "@moorage/kubernetes";
import { openCluster } from "@moorage/kubernetes";
import type { Ask } from "../conformance/bench.ts";
import type { Api } from "./api.ts";
import { apiOf } from "./api.ts";
import { runningContainers } from "./containers.ts";
import { identityOf, startRequestOf, subjectOf, templateOf } from "./kubernetes-agent.ts";
import type { Namespace } from "./namespace.ts";
import { ownNamespace } from "./namespace.ts";
import type { ThisCluster } from "./this-cluster.ts";
import { thisCluster } from "./this-cluster.ts";
import { until } from "./up/run.ts";

/** Milliseconds: busy machines have time. */
export const patienceMs = 240_000;

type Container = ObservedInstance["evidence"]["container"];

export interface Scene {
  readonly here: ThisCluster;
  readonly api: Api;
  readonly namespace: Namespace;
  readonly agent: string;
  readonly name: string;
  readonly identity: ReturnType<typeof identityOf>;
  readonly substrate: Substrate;
  /** What the loops have told so far. */
  readonly told: JournalEntry[];
  start(ask?: Ask & { readonly image?: string }): Promise<StartOutcome>;
  stop(deadlineMs?: number): Promise<StopOutcome>;
  instance(): Promise<ObservedInstance | undefined>;
  untilContainer(what: string, holds: (container: Container) => boolean): Promise<void>;
  /** How many containers of the agent run, by the runtimes' own word where they can be asked. */
  alive(): Promise<number>;
  removeSecret(): Promise<void>;
  end(): Promise<void>;
}

export interface SceneOptions {
  readonly namespaceMade?: boolean;
  /** What the loops use instead of the administrator's own way to the API server. */
  readonly access?: (admin: ClusterAccess) => ClusterAccess;
  readonly limits?: Partial<TransportLimits>;
  /** What is declared beside what each agent of these tests declares. */
  readonly declared?: Partial<PodTemplate>;
}

export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const here = thisCluster();
  const api = apiOf(here);
  const namespace = await ownNamespace(api, options.namespaceMade ?? true);
  const agent = "scribe";
  const identity = identityOf(agent);
  const name = instanceName(moorageProfile, identity);
  const clock = awakeClock();
  const { access: change = (admin) => admin, limits = {}, declared = {} } = options;
  const access = change({ ...here.access(), namespace: namespace.name });
  const now = (): number => Date.now();
  const cluster = openCluster({ access, env: process.env, clock, random: systemRandom, now, limits });
  const { substrate } = cluster;
  const told: JournalEntry[] = [];
  const interrupt = createAbort();
  const journal = { append: (entry: JournalEntry): void => void told.push(entry) };
  const ports = { substrate, clock, random: systemRandom, journal, signal: interrupt.signal };

  const instance = async (): Promise<ObservedInstance | undefined> => {
    const reading = await substrate.readInstances(identity);
    return reading.kind === "read" ? reading.instances.find((one) => one.name === name) : undefined;
  };

  return {
    here,
    api,
    namespace,
    agent,
    name,
    identity,
    substrate,
    told,
    start({ image = here.image, deadlineMs = patienceMs, ...ask } = {}) {
      const request = startRequestOf(agent, image, ask);
      const template = { ...templateOf(image, ask), ...declared };
      return startAgent({ ...request, template, deadlineMs }, { ...ports, digest: sha256 });
    },
    stop: (deadlineMs = patienceMs) => stopAgent(subjectOf(agent, deadlineMs), ports),
    instance,
    untilContainer: (what, holds) =>
      until(
        what,
        async () => {
          const found = await instance();
          return found !== undefined && holds(found.evidence.container);
        },
        patienceMs,
      ),
    async alive() {
      if (here.own !== null) return runningContainers(here.own, namespace.name, moorageProfile.container);
      return (await instance())?.evidence.container.state === "running" ? 1 : 0;
    },
    async removeSecret() {
      const attempt = (await instance())?.attempt ?? null;
      if (attempt === null) return;
      await api.send("DELETE", namespace.path("secrets", secretName(moorageProfile, identity, attempt)));
    },
    async end() {
      interrupt.abort();
      await namespace.remove();
      cluster.close();
      api.close();
    },
  };
}
