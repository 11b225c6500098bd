// The cluster that these rows are measured on: one that is up already when the environment names it, else one of their own.
import { homedir } from "node:os";
import { places } from "../../test/cluster/places.ts";
import type { AdminAnswer } from "../../test/cluster/up/admin.ts";
import { adminRequest } from "../../test/cluster/up/admin.ts";
import type { BinaryPlaces } from "../../test/cluster/up/binary.ts";
import { findBinary } from "../../test/cluster/up/binary.ts";
import { answers, down, up } from "../../test/cluster/up/cluster.ts";
import { makeFakeNodes } from "../../test/cluster/up/fake-nodes.ts";
import { readImages } from "../../test/cluster/up/images.ts";
import type { Layout } from "../../test/cluster/up/layout.ts";
import { layoutOf } from "../../test/cluster/up/layout.ts";
import { until } from "../../test/cluster/up/run.ts";

/** Beside the clusters that tests use. */
const ownNumber = 4;

export interface Ground {
  readonly layout: Layout;
  readonly binaries: BinaryPlaces;
  readonly kubeconfig: string;
  /** Pinned, with a shell and little else. */
  readonly image: string;
  /** A namespace that was not there before, with its service account. */
  namespace(): Promise<string>;
  /** Takes one away, and waits until its pods are gone. */
  remove(namespace: string): Promise<void>;
  /** As the cluster's administrator, over a connection of its own. Throws for an answer that is not 2xx. */
  ask(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<AdminAnswer>;
  fakeNodes(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Throws, in words, where no cluster can be had. */
export async function openGround(): Promise<Ground> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) throw new Error("a cluster needs Linux and root");
  const named = places(process.env, homedir());
  const { binaries } = named;
  const say = (line: string): void => console.error(line);
  const given = process.env["MOORAGE_CLUSTER_DIR"] !== undefined || process.env["MOORAGE_CLUSTER_NUMBER"] !== undefined;
  const layout = given ? named.layout : layoutOf(`/tmp/moorage-bench-cluster`, ownNumber);
  const kept = await answers(layout);
  let namespaces = 0;
  const left = new Set<string>();
  const ask: Ground["ask"] = async (method, path, body) => {
    const answer = await adminRequest(layout, method, path, body);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new Error(`${method} ${path} was answered with ${answer.status}: ${answer.body}`);
  };
  try {
    if (!kept) await up(layout, { nodes: 1, binaries, apiFlags: [], say });
    const { agent: image } = readImages(layout);
    return {
      layout,
      binaries,
      kubeconfig: `${layout.dir}/admin.kubeconfig`,
      image,
      ask,
      async namespace() {
        namespaces += 1;
        const name = `bench-${process.pid}-${namespaces}`;
        left.add(name);
        await ask("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
        const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
        await until(`${name} is ready`, async () => (await adminRequest(layout, "GET", account)).status === 200);
        return name;
      },
      async remove(name) {
        const pods = `/api/v1/namespaces/${name}/pods`;
        const now = { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 };
        const none = async (): Promise<boolean> => {
          // Of many, one request may not see the end.
          await adminRequest(layout, "DELETE", pods, now);
          return (await adminRequest(layout, "GET", `${pods}?limit=1`)).body.includes('"items":[]');
        };
        await until(`the pods of ${name} are gone`, none, 300_000);
        await ask("DELETE", `/api/v1/namespaces/${name}`);
        left.delete(name);
      },
      fakeNodes: (count) => makeFakeNodes(layout, findBinary(binaries, "kwok", say), count),
      close: async () => {
        if (!kept) return down(layout);
        // What an interrupted row has not taken away: the cluster does the rest.
        for (const name of left) await adminRequest(layout, "DELETE", `/api/v1/namespaces/${name}`);
      },
    };
  } catch (error) {
    if (!kept) await down(layout);
    throw error;
  }
}
