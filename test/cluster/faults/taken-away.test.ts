// What the cluster does to a running agent: something more urgent takes its place, its node runs short, its object is changed or held.
import type { Json } from "@moorage/core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { patienceMs } from "../scene.ts";
import { thisCluster } from "../this-cluster.ts";
import { adminRequest } from "../up/admin.ts";
import { until } from "../up/run.ts";
import { afterFault } from "./after-fault.ts";
import type { FaultScene } from "./fault-scene.ts";
import { openFaultScene } from "./fault-scene.ts";
import type { OwnNode } from "./own-node.ts";
import { openOwnNode } from "./own-node.ts";

const { own } = thisCluster();

/** Place for one pod; and without looking at disks a kubelet evicts nothing for memory either. */
const kubelet = { maxPods: 1, localStorageCapacityIsolation: true };

describe.skipIf(own === null)("on a node with place for one pod", () => {
  let node: OwnNode | undefined;
  let scene: FaultScene;

  beforeAll(async () => {
    if (own !== null) node = await openOwnNode(own, 5, { kubelet });
  });

  afterEach(() => scene.end());
  afterAll(() => node?.end());

  async function runningThere(): Promise<OwnNode> {
    const there = node ?? expect.fail("there is no node");
    scene = await openFaultScene({ declared: there.declared });
    expect(await scene.start()).toMatchObject({ outcome: "started" });
    return there;
  }

  test("something more urgent takes its place: the start says that there is no room, and goes on when there is", async () => {
    const there = await runningThere();
    const { api, namespace, here } = scene;
    const urgent = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: namespace.name } };
    const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    await api.send("POST", classes, { ...urgent, value: 1_000 });
    const rival = { name: "rival", image: here.image, args: ["sleep 100000"] };
    const spec = { ...there.declared, priorityClassName: namespace.name, containers: [rival] };
    try {
      const before = (await scene.instance())?.fence.uid;
      await api.send("POST", namespace.path("pods"), {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "rival" },
        spec: spec as unknown as Json,
      });
      await until(
        "it is told to go",
        async () => {
          const now = await scene.instance();
          return now?.fence.uid !== before || now?.deletion !== null;
        },
        patienceMs,
      );
      const starting = scene.start();
      await scene.untilTold("unschedulable");
      await afterFault(scene, { alive: 0, orphans: 1, asked: scene.proxy.requests });
      await api.send("DELETE", namespace.path("pods", "rival"), { gracePeriodSeconds: 0 });
      expect(await starting).toMatchObject({ outcome: "started" });
      await afterFault(scene, { alive: 1, orphans: 1, asked: scene.proxy.requests });
    } finally {
      await api.send("DELETE", `${classes}/${namespace.name}`);
      await api.send("DELETE", namespace.path("pods", "rival"), { gracePeriodSeconds: 0 });
    }
  });

  test("its node runs short of memory and evicts it: told as that, and the next start brings it back when there is room", async () => {
    const there = await runningThere();
    const enough = { "memory.available": "50Mi", "nodefs.available": "0%", "imagefs.available": "0%" };
    there.configure({ evictionHard: { ...enough, "memory.available": "99%" } });
    await there.stopKubelet();
    there.startKubelet();
    await scene.untilContainer(
      "it is evicted",
      (container) => container.state === "terminated" && container.ending.reason === "evicted",
    );
    await afterFault(scene, { alive: 0, asked: scene.proxy.requests });
    const outcome = await scene.start({ deadlineMs: 5_000 });
    expect(outcome).toMatchObject({ outcome: "notConfirmed" });
    expect(outcome.actions).toMatchObject([{ action: "delete", reason: "it has ended" }, { action: "create" }]);
    expect(scene.told.map(({ code }) => code)).toContain("unschedulable");
    there.configure({ evictionHard: enough });
    await there.stopKubelet();
    there.startKubelet();
    expect(await scene.start()).toMatchObject({ outcome: "alreadyRunning", intent: "current" });
    await afterFault(scene, { alive: 1, asked: scene.proxy.requests });
  });
});

describe.skipIf(own === null)("on our own cluster", () => {
  let scene: FaultScene;

  afterEach(() => scene.end());

  const patch = (body: unknown) => adminRequest(scene.layout, "PATCH", scene.namespace.path("pods", scene.name), body);

  test("it is evicted through the API: it ends gracefully, and a start that waits brings it back", async () => {
    scene = await openFaultScene();
    await scene.start();
    await scene.api.send("POST", `${scene.namespace.path("pods", scene.name)}/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: scene.name, namespace: scene.namespace.name },
    });
    expect(await scene.start()).toMatchObject({ outcome: "started" });
    await afterFault(scene, { alive: 1, orphans: 1, asked: scene.proxy.requests });
  });

  test.each([
    ["one that is there", "/agent:1@"],
    ["one that is nowhere", "/nothing@"],
  ])(
    "its image is patched in place to %s: whatever the kubelet makes of it, one start leads to one agent",
    async (_which, name) => {
      scene = await openFaultScene();
      await scene.start();
      const since = async (): Promise<string | null> => {
        const now = await scene.instance();
        return now?.evidence.container.state === "running" ? now.startedAt : null;
      };
      const before = await since();
      const image = scene.here.image.replace("/agent@", name);
      const strategic = { spec: { containers: [{ ...(await containerNow()), image }] } };
      expect((await patch(strategic)).status).toBe(200);
      await until("the kubelet tells that it has acted", async () => (await since()) !== before, patienceMs);
      const first = await scene.start({ deadlineMs: 20_000 });
      expect(first.outcome).toMatch(/^(started|alreadyRunning|reported|notConfirmed)$/);
      if (first.outcome === "reported") {
        // Restarted in place, and its new image cannot be had: the way out is a stop.
        expect(await scene.stop()).toMatchObject({ outcome: "stopped" });
        expect(await scene.start()).toMatchObject({ outcome: "started" });
      }
      await afterFault(scene, { alive: 1, asked: scene.proxy.requests });
    },
  );

  /** A merge patch replaces lists as a whole. */
  async function containerNow(): Promise<Record<string, Json>> {
    const { object } = await scene.api.send("GET", scene.namespace.path("pods", scene.name));
    return (object as { spec: { containers: [Record<string, Json>] } }).spec.containers[0];
  }

  test("a finalizer keeps its object: named by the stop and by a start after it, and both go on when it goes", async () => {
    scene = await openFaultScene();
    await scene.start();
    expect((await patch({ metadata: { finalizers: ["example.org/backup"] } })).status).toBe(200);
    const stopping = scene.stop();
    await scene.untilTold("finalizerHolds");
    expect(scene.told.find(({ code }) => code === "finalizerHolds")?.message).toContain("example.org/backup");
    const outcome = await scene.start({ deadlineMs: 1_000 });
    expect(outcome).toMatchObject({ outcome: "notConfirmed" });
    expect(outcome.condition?.message).toContain("example.org/backup");
    await afterFault(scene, { alive: 0, asked: scene.proxy.requests });
    const starting = scene.start();
    await patch({ metadata: { finalizers: [] } });
    expect(await stopping).toMatchObject({ outcome: "stopped" });
    expect(await starting).toMatchObject({ outcome: "started" });
    await afterFault(scene, { alive: 1, asked: scene.proxy.requests });
  });
});
