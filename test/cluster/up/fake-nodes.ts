/** Nodes that are none: kwok says of their pods what a kubelet would, so that a thousand cost nothing. */
import { adminRequest } from "./admin.ts";
import type { Layout } from "./layout.ts";
import { tokens } from "./layout.ts";
import { partLives, startPart } from "./part.ts";
import { writeKubeconfig } from "./pki.ts";
import { until } from "./run.ts";

const key = "kwok.x-k8s.io/node";
const podsEach = 2_000;

/** What a pod needs in its spec to run there, and nothing else does. */
export const onFakeNodes = {
  nodeSelector: { type: "kwok" },
  tolerations: [{ key, operator: "Exists", effect: "NoSchedule" }],
} as const;

/** Makes so many, named fake1, fake2, …; those that are there stay. `kwok` is the program's path. */
export async function makeFakeNodes(layout: Layout, kwok: string, count: number): Promise<void> {
  if (!partLives(layout.dir, "kwok")) {
    startPart(layout.dir, "kwok", [
      kwok,
      `--kubeconfig=${writeKubeconfig(layout, "kwok", tokens.admin)}`,
      `--manage-nodes-with-annotation-selector=${key}=fake`,
      `--node-ip=${layout.gateway}`,
      `--cidr=10.${213 + layout.number}.128.0/17`,
      "--node-lease-duration-seconds=40",
    ]);
  }
  const names = Array.from({ length: count }, (_, at) => `fake${at + 1}`);
  for (const name of names) {
    const { status, body } = await adminRequest(layout, "POST", "/api/v1/nodes", fakeNode(name));
    if (status !== 201 && status !== 409) throw new Error(`a fake node was answered with ${status}: ${body}`);
  }
  for (const name of names) {
    await until(`${name} is ready`, async () =>
      /"type":"Ready","status":"True"/.test((await adminRequest(layout, "GET", `/api/v1/nodes/${name}`)).body),
    );
  }
}

function fakeNode(name: string): unknown {
  const size = { cpu: "256", memory: "1Ti", pods: String(podsEach) };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, annotations: { [key]: "fake" }, labels: { type: "kwok", "kubernetes.io/hostname": name } },
    spec: { taints: [{ key, value: "fake", effect: "NoSchedule" }] },
    status: { allocatable: size, capacity: size },
  };
}
