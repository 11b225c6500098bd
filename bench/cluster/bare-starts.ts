// The least that starts many pods: each is created with one request, and one list every quarter of a second tells how many run.
import { setTimeout as sleep } from "node:timers/promises";
import { accessBy, transportFor } from "../../test/cluster/this-cluster.ts";
import { onFakeNodes } from "../../test/cluster/up/fake-nodes.ts";
import type { Ground } from "./ground.ts";

/** Resolves when all of them run. */
export async function bareStarts(
  { kubeconfig, image }: Ground,
  namespace: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const transport = transportFor(accessBy(kubeconfig, namespace));
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const spec = {
    ...onFakeNodes,
    tolerations: onFakeNodes.tolerations.map((one) => ({ ...one })),
    restartPolicy: "Never",
    containers: [{ name: "agent", image, command: ["/bin/sh", "-c", "sleep 100000"] }],
  };
  try {
    const creates = names.map((name) =>
      transport.send({ method: "POST", path, body: { apiVersion: "v1", kind: "Pod", metadata: { name }, spec } }),
    );
    for (const answer of await Promise.all(creates))
      if (answer.kind !== "answered" || answer.status !== 201)
        throw new Error(`a create failed: ${JSON.stringify(answer)}`);
    for (;;) {
      const list = await transport.send({ method: "GET", path });
      if (list.kind === "answered" && list.body.split('"running":{').length > names.length) return;
      await sleep(250, undefined, { signal });
    }
  } finally {
    transport.close();
  }
}
