/** A whole cluster over a server whose every answer a test writes. */
import type { Identity } from "@moorage/core";
import { createAbort, instanceMarks, moorageProfile, parseIdentity } from "@moorage/core";
import type { Handler, MisbehavingServer } from "./misbehaving-server.fixture.ts";
import { accessTo, answerJson, evenRandom, realClock, startServer } from "./misbehaving-server.fixture.ts";
import type { Cluster } from "./open-cluster.ts";
import { openCluster } from "./open-cluster.ts";

export const podName = "moorage-0123456789ab";
export const pods = "/api/v1/namespaces/team/pods";
const identity = parseIdentity("0123456789abcdef".repeat(4)) as Identity;

export interface OpenedCluster {
  readonly server: MisbehavingServer;
  readonly cluster: Cluster;
  end(): Promise<void>;
}

export async function openOn(handler: Handler): Promise<OpenedCluster> {
  const server = await startServer(handler);
  const access = accessTo(server.server, { token: { kind: "data", bytes: Buffer.from("secret-token") } });
  const cluster = openCluster({
    access,
    env: {},
    clock: realClock,
    random: evenRandom,
    now: () => 0,
    limits: { readMs: 2_000 },
  });
  return {
    server,
    cluster,
    async end() {
      cluster.close();
      await server.end();
    },
  };
}

/** A pod of ours. `more` replaces parts of its metadata, specification or status. */
export function ourPod(
  more: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {},
): object {
  const marks = instanceMarks(moorageProfile, identity, `m1:${"0".repeat(64)}`, { name: "scribe" });
  const metadata = { name: podName, uid: "u1", resourceVersion: "7", creationTimestamp: "2030-01-01T00:00:00Z" };
  return {
    metadata: { ...metadata, ...marks, ...more.metadata },
    spec: { containers: [{ name: "agent", image: "registry.example/app:1" }], ...more.spec },
    status: more.status ?? statusOf({ running: { startedAt: "2030-01-01T00:00:01Z" } }),
  };
}

export function statusOf(state: object, more: object = {}): object {
  return { phase: "Running", containerStatuses: [{ name: "agent", containerID: "c1", state, ...more }] };
}

export function failure(code: number, reason: string, message: string): Handler {
  return (_request, response) =>
    answerJson(response, code, { kind: "Status", status: "Failure", code, reason, message });
}

/** Longer than a test may take, in milliseconds: what only this ends has failed by then. */
const patienceMs = 60_000;

/** Aborts by itself if a test forgets it. */
export function patience(): { readonly signal: ReturnType<typeof createAbort>["signal"]; abort(): void } {
  const source = createAbort();
  const timer = setTimeout(() => source.abort(), patienceMs);
  source.signal.addEventListener("abort", () => clearTimeout(timer));
  return source;
}
