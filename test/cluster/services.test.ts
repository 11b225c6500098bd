// What a pod finds on a cluster of ours: the name of a Service, and the way to it.
import { afterEach, describe, expect, test } from "vitest";
import type { Api } from "./api.ts";
import { apiOf } from "./api.ts";
import type { Namespace } from "./namespace.ts";
import { ownNamespace } from "./namespace.ts";
import { thisCluster } from "./this-cluster.ts";
import { until } from "./up/run.ts";

const here = thisCluster();

describe.skipIf(here.own === null)("on our own cluster", () => {
  let api: Api;
  let namespace: Namespace;

  afterEach(async () => {
    await namespace.remove();
    api.close();
  });

  test("a pod finds the API server by its name", async () => {
    api = apiOf(here);
    namespace = await ownNamespace(api);
    const command = ["/bin/sh", "-c", "echo | busybox nc -w 10 kubernetes.default.svc 443"];
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "looks" },
      spec: { restartPolicy: "Never", containers: [{ name: "looks", image: here.image, command }] },
    };
    expect(await api.send("POST", namespace.path("pods"), pod)).toMatchObject({ status: 201 });
    const phase = async (): Promise<string> => {
      const { object } = await api.send("GET", namespace.path("pods", "looks"));
      return (object as { status: { phase: string } }).status.phase;
    };
    await until("it has ended", async () => /^(Succeeded|Failed)$/.test(await phase()), 120_000);
    expect(await phase()).toBe("Succeeded");
  });
});
