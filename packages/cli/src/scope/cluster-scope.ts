/** The scope of a command on a cluster: one namespace; what a cluster does not hold for us is kept on this machine. */
import { join } from "node:path";
import type { Clock } from "@moorage/core";
import { decodeStartup } from "@moorage/core";
import { sha256, systemRandom } from "@moorage/keys";
import type { Cluster, ClusterAccess, ClusterOptions, PodFacts, PodLogEvent, PodLogRequest } from "@moorage/kubernetes";
import { findAccess, openCluster } from "@moorage/kubernetes";
import type { Invocation } from "../args/command-spec.ts";
import type { Check } from "../doctor/check.ts";
import type { Host } from "../host.ts";
import type { AgentFacts, AgentScope } from "./agent-scope.ts";
import { openClusterRecord } from "./cluster-record.ts";
import { stateDir } from "./local-scope.ts";

const lookMs = 30_000;

/** Throws a `ClusterError` when no cluster is described, or what describes it cannot be used. Nothing is connected yet. */
export function openClusterScope(invocation: Invocation, host: Host, clock: Clock, mode: "read" | "write"): AgentScope {
  const access = clusterAccess(invocation, host);
  const cluster = openCluster({ access, ...ports(host, clock) });
  const record = openClusterRecord(recordFolder(invocation, host, access), clock, mode);
  const { substrate, inventory } = cluster;
  return {
    on: "kubernetes",
    substrate,
    inventory,
    machine: null,
    journal: record.journal,
    lookMs,
    facts: async (names) =>
      (await cluster.facts(names)).map((facts) => factsOf(facts, record.revives(facts.name).length)),
    setStopGrace: (name, graceMs) => cluster.setStopGrace(name, graceMs),
    // The workspace went with the pod, and a claim is not ours.
    purge: () => Promise.resolve("nothing"),
    revives: async (name) => record.revives(name),
    recordRevive: async (name, at, since) => record.recordRevive(name, at, since),
    changed: (ms, signal) => cluster.changed(ms, signal),
    whyWaiting: (name) => cluster.whyWaiting(name).catch(() => null),
    output(name, { previous, present, since, tail, follow }) {
      if (!present) return null;
      const request = { pod: name, since: since ?? null, tail: tail ?? null, follow };
      return previous ? ofRunBefore(cluster, request) : cluster.podLog(request);
    },
    events: (name) => cluster.events(name === undefined ? {} : { name }),
    followEvents: (signal) => cluster.followEvents(signal),
    settled: () => Promise.resolve(),
    close() {
      record.close();
      cluster.close();
    },
  };
}

/** What has ended is the run before, as long as its pod is there; else only a restart in place leaves one. */
async function* ofRunBefore(cluster: Cluster, request: PodLogRequest): AsyncGenerator<PodLogEvent> {
  const found = await cluster.substrate.readName(request.pod);
  const ended = found.kind === "found" && decodeStartup(found.instance.evidence, new Set()).kind === "terminated";
  yield* cluster.podLog(ended ? request : { ...request, previous: true });
}

/** What doctor looks at. Throws a `ClusterError` as the scope does. */
export async function checkedCluster(invocation: Invocation, host: Host, clock: Clock): Promise<readonly Check[]> {
  const cluster = openCluster({ access: clusterAccess(invocation, host), ...ports(host, clock) });
  try {
    return await cluster.check();
  } finally {
    cluster.close();
  }
}

function ports({ env }: Host, clock: Clock): Omit<ClusterOptions, "access"> {
  return { env, clock, random: systemRandom, now: () => Date.now() };
}

/** The namespace of the cluster that a command line means. Throws a `ClusterError`. */
function clusterAccess({ flags }: Invocation, { env }: Host): ClusterAccess {
  const text = (name: string): string | null => {
    const value = flags[name];
    return typeof value === "string" ? value : null;
  };
  return findAccess({ env, home: env["HOME"] ?? null }, { context: text("context"), namespace: text("namespace") });
}

/** Each namespace of each cluster has a folder of its own beside the agents of this machine. */
function recordFolder(invocation: Invocation, host: Host, { server, namespace }: ClusterAccess): string {
  const place = `${server.replace(/^https?:\/\//, "")}-${namespace}`.replace(/[^\w.-]+/g, "-");
  // Readable for people, and told apart by the digits.
  const digits = sha256.text(`${server}\0${namespace}`).slice(0, 8);
  return join(stateDir(invocation, host), "clusters", `${place}-${digits}`);
}

function factsOf(pod: PodFacts, revives: number): AgentFacts {
  const { name, createdAt, graceMs, memoryBytes } = pod;
  return {
    name,
    createdAt,
    graceMs,
    catalog: null,
    revives,
    turn: null,
    health: { state: "unknown", since: null },
    memoryBytes,
    cpuMs: null,
    process: null,
    pod,
  };
}
