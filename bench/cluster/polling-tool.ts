// The least that a tool which polls asks for a start: it looks whether each object is there before it writes it, and then every two seconds whether the pod runs.
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "@moorage/core";
import { accessBy, transportFor } from "../../test/cluster/this-cluster.ts";
import type { Ground } from "./ground.ts";

const everyMs = 2_000;
const polledPod = "polled";

/** Resolves when the pod runs. */
export async function pollingStart({ kubeconfig, image }: Ground, namespace: string): Promise<void> {
  const transport = transportFor(accessBy(kubeconfig, namespace));
  const at = (resource: string): string => `/api/v1/namespaces/${namespace}/${resource}`;
  const statusOf = async (path: string): Promise<{ readonly status: number; readonly body: string }> => {
    const answer = await transport.send({ method: "GET", path });
    if (answer.kind !== "answered") throw new Error(answer.detail);
    return answer;
  };
  const ensure = async (resource: string, name: string, object: Json): Promise<void> => {
    if ((await statusOf(`${at(resource)}/${name}`)).status === 200) return;
    await transport.send({ method: "POST", path: at(resource), body: object });
  };
  try {
    await statusOf(`/api/v1/namespaces/${namespace}`);
    const metadata = { name: polledPod };
    await ensure("secrets", polledPod, { apiVersion: "v1", kind: "Secret", metadata, stringData: { API_KEY: "none" } });
    await ensure("pods", polledPod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata,
      spec: {
        restartPolicy: "Never",
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "agent", image, command: ["/bin/sh", "-c", "sleep 100000"] }],
      },
    });
    while (!(await statusOf(`${at("pods")}/${polledPod}`)).body.includes('"running":{')) await sleep(everyMs);
  } finally {
    transport.close();
  }
}
