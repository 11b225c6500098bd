import { afterEach, describe, expect, test } from "vitest";
import type { OpenedCluster } from "./cluster.fixture.ts";
import { failure, openOn, ourPod, podName, pods, statusOf } from "./cluster.fixture.ts";
import type { Handler } from "./misbehaving-server.fixture.ts";
import { answerJson } from "./misbehaving-server.fixture.ts";

const metrics = "/apis/metrics.k8s.io/v1beta1/namespaces/team/pods";
let opened: OpenedCluster;

afterEach(() => opened.end());

const absent: Handler = (_request, response) => void response.writeHead(404).end("404 page not found\n");
const json =
  (object: unknown): Handler =>
  (_request, response) =>
    answerJson(response, 200, object);

async function on(ofPods: Handler, ofMetrics: Handler = absent): Promise<OpenedCluster> {
  opened = await openOn((request, response) =>
    (request.url.startsWith(metrics) ? ofMetrics : ofPods)(request, response),
  );
  return opened;
}

const asked = (path: string): readonly string[] =>
  opened.server.received.map(({ url }) => url).filter((url) => url.startsWith(path));

const full = ourPod({
  spec: {
    nodeName: "node1",
    terminationGracePeriodSeconds: 60,
    containers: [
      { name: "side", image: "other" },
      { name: "agent", image: "registry.example/app@sha256:0", env: [{ name: "MOORAGE_COMMAND", value: "[]" }] },
    ],
    volumes: [
      { name: "x", persistentVolumeClaim: { claimName: "another" } },
      { name: "workspace", persistentVolumeClaim: { claimName: "scribe-data" } },
    ],
  },
  status: {
    ...statusOf({ running: {} }, { restartCount: 2, imageID: "registry.example/app@sha256:0" }),
    podIP: "10.0.0.5",
  },
});

test("everything that a pod tells of itself", async () => {
  const { cluster } = await on(json(full));
  expect(await cluster.facts([podName])).toEqual([
    {
      name: podName,
      uid: "u1",
      createdAt: "2030-01-01T00:00:00.000Z",
      node: "node1",
      image: "registry.example/app@sha256:0",
      imageId: "registry.example/app@sha256:0",
      graceMs: 60_000,
      restarts: 2,
      phase: "Running",
      podIp: "10.0.0.5",
      workspaceClaim: "scribe-data",
      harness: true,
      memoryBytes: null,
      cpuMs: null,
      cpuCores: null,
    },
  ]);
  expect(asked(pods)).toEqual([`${pods}/${podName}`]);
});

test("a pod that waits tells less", async () => {
  const { cluster } = await on(json(ourPod({ status: { phase: "Pending" } })));
  expect(await cluster.facts([podName])).toMatchObject([
    { node: null, imageId: null, restarts: 0, podIp: null, workspaceClaim: null, harness: false, phase: "Pending" },
  ]);
});

test("of all pods in the order of their names, without those of others", async () => {
  const named = (name: string, more: object = {}): object => ourPod({ metadata: { name, ...more } });
  const items = [named("moorage-b"), named("moorage-c", { annotations: {} }), named("moorage-a")];
  const { cluster } = await on(json({ items }));
  expect((await cluster.facts()).map(({ name }) => name)).toEqual(["moorage-a", "moorage-b"]);
  expect((await cluster.facts(["moorage-b", "moorage-z"])).map(({ name }) => name)).toEqual(["moorage-b"]);
  expect(asked(pods)[0]).toContain("labelSelector=app.kubernetes.io%2Fmanaged-by%3Dmoorage");
});

test("of all right after a read of the whole scope: from that read, and later from one of their own", async () => {
  const { cluster } = await on(json({ metadata: { resourceVersion: "9" }, items: [full] }));
  await cluster.inventory.readScope();
  expect(await cluster.facts()).toMatchObject([{ name: podName, node: "node1" }]);
  expect(asked(pods)).toHaveLength(1);
  expect(await cluster.facts()).toMatchObject([{ name: podName, node: "node1" }]);
  expect(asked(pods)).toHaveLength(2);
});

test("of somebody else's pod, of none, and of no names there are none", async () => {
  const { cluster } = await on(json(ourPod({ metadata: { labels: {} } })));
  expect(await cluster.facts([podName])).toEqual([]);
  expect(await cluster.facts([])).toEqual([]);
  await opened.end();
  const { cluster: other } = await on(failure(404, "NotFound", "pods not found"));
  expect(await other.facts([podName])).toEqual([]);
});

test("without the right it is refused in words", async () => {
  const message = 'pods is forbidden: User "ada" cannot list resource "pods" in API group "" in the namespace "team"';
  const { cluster } = await on(failure(403, "Forbidden", message));
  await expect(cluster.facts()).rejects.toMatchObject({
    code: "forbidden",
    message: expect.stringMatching(/not allowed to list pods/),
  });
});

describe("memory and CPU", () => {
  const usage = (name: string): object => ({
    metadata: { name },
    containers: [
      { name: "side", usage: { cpu: "9", memory: "9Gi" } },
      { name: "agent", usage: { cpu: "250m", memory: "64Mi" } },
    ],
  });

  test("are those of our container, of one pod and of all", async () => {
    const answer: Handler = (request, response) =>
      answerJson(response, 200, request.url.includes("labelSelector") ? { items: [usage(podName)] } : usage(podName));
    const { cluster } = await on(
      (request, response) => answerJson(response, 200, request.url.includes("?") ? { items: [full] } : full),
      answer,
    );
    const measured = [{ memoryBytes: 64 * 2 ** 20, cpuCores: 0.25, cpuMs: null }];
    expect(await cluster.facts([podName])).toMatchObject(measured);
    expect(await cluster.facts()).toMatchObject(measured);
  });

  test.each([
    ["is not there", absent, 1],
    ["is not for us", failure(403, "Forbidden", "no"), 1],
    ["is busy", failure(503, "ServiceUnavailable", "no"), 3],
    ["has not measured this pod yet", failure(404, "NotFound", `podmetrics "${podName}" not found`), 3],
  ])("are unknown where the metrics API %s", async (_what, answer, requests) => {
    const { cluster } = await on(json(full), answer);
    for (let time = 0; time < 3; time += 1)
      expect(await cluster.facts([podName])).toMatchObject([{ memoryBytes: null, cpuCores: null }]);
    expect(asked(metrics)).toHaveLength(requests);
  });
});
