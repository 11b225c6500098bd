/** What people ask of pods, in a namespace of its own: any pod with our marks, and the real cluster over a line that can be cut. */
import type { Json } from "@moorage/core";
import { createAbort, instanceMarks, instanceName, moorageProfile } from "@moorage/core";
import { awakeClock } from "@moorage/harness";
import { systemRandom } from "@moorage/keys";
import type { Cluster, PodLogEvent, PodLogRequest } from "@moorage/kubernetes";
import { openCluster } from "@moorage/kubernetes";
import type { Api } from "./api.ts";
import { apiOf } from "./api.ts";
import type { CutLine } from "./cut-line.ts";
import { openCutLine } from "./cut-line.ts";
import { identityOf } from "./kubernetes-agent.ts";
import type { Namespace } from "./namespace.ts";
import { ownNamespace } from "./namespace.ts";
import { patienceMs } from "./scene.ts";
import type { ThisCluster } from "./this-cluster.ts";
import { thisCluster } from "./this-cluster.ts";
import { until } from "./up/run.ts";

type PodState = "running" | "waiting" | "terminated";

export interface PeopleScene {
  readonly here: ThisCluster;
  readonly api: Api;
  readonly namespace: Namespace;
  readonly cluster: Cluster;
  readonly line: CutLine;
  /** Makes a pod of ours that runs this in a shell, and tells its name. `container` and `spec` replace parts. */
  plant(agent: string, script: string, container?: object, spec?: object): Promise<string>;
  untilState(name: string, state: PodState): Promise<void>;
  /** Everything that is told of a log, as text; times out by itself. */
  output(request: PodLogRequest): Promise<string[]>;
  /** The same cluster as somebody without any right. */
  asNobody(): Cluster;
  end(): Promise<void>;
}

export async function openPeopleScene(): Promise<PeopleScene> {
  const here = thisCluster();
  const api = apiOf(here);
  const namespace = await ownNamespace(api);
  const line = await openCutLine(here.access());
  const clusters: Cluster[] = [];
  const open = (access: ReturnType<ThisCluster["access"]>): Cluster => {
    const ports = { env: process.env, clock: awakeClock(), random: systemRandom, now: () => Date.now() };
    const cluster = openCluster({ access: { ...access, namespace: namespace.name }, ...ports });
    clusters.push(cluster);
    return cluster;
  };
  const cluster = open(line.access);
  return {
    here,
    api,
    namespace,
    cluster,
    line,
    async plant(agent, script, container = {}, spec = {}) {
      const pod = podOf(agent, here.image, script, container, spec);
      const made = await api.send("POST", namespace.path("pods"), pod as Json);
      if (made.status !== 201) throw new Error(`no pod: ${JSON.stringify(made)}`);
      return nameOf(agent);
    },
    untilState: (name, state) =>
      until(
        `${name} is ${state}`,
        async () => {
          const read = await cluster.substrate.readName(name);
          return read.kind === "found" && read.instance.evidence.container.state === state;
        },
        patienceMs,
      ),
    async output(request) {
      const told: string[] = [];
      for await (const event of cluster.podLog(request)) told.push(textOf(event));
      return told;
    },
    asNobody: () => open(here.access("nobody")),
    async end() {
      for (const one of clusters) one.close();
      await line.end();
      await namespace.remove();
      api.close();
    },
  };
}

export function nameOf(agent: string): string {
  return instanceName(moorageProfile, identityOf(agent));
}

/** A signal that a test waits with, and that ends by itself. */
export function patience(): { readonly signal: ReturnType<typeof createAbort>["signal"]; end(): void } {
  const source = createAbort();
  const timer = setTimeout(() => source.abort(), patienceMs);
  const end = (): void => {
    clearTimeout(timer);
    source.abort();
  };
  return { signal: source.signal, end };
}

function textOf(event: PodLogEvent): string {
  return event.kind === "line" ? `${event.bytes.toString("latin1")}${event.ends ? "" : "…"}` : `<${event.kind}>`;
}

function podOf(agent: string, image: string, script: string, container: object, spec: object): object {
  const marks = instanceMarks(moorageProfile, identityOf(agent), `m1:${"0".repeat(64)}`, { name: agent });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: nameOf(agent), ...marks },
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      containers: [{ name: moorageProfile.container, image, command: ["/bin/sh", "-c", script], ...container }],
      ...spec,
    },
  };
}
