// Somebody else deletes the agent's pod, gracefully or by force, at any moment of a start: told as what it is, and never two at once.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { runningContainers } from "../containers.ts";
import { patienceMs } from "../scene.ts";
import { thisCluster } from "../this-cluster.ts";
import { until } from "../up/run.ts";
import { afterFault } from "./after-fault.ts";
import type { FaultScene } from "./fault-scene.ts";
import { openFaultScene } from "./fault-scene.ts";
import type { OwnNode } from "./own-node.ts";
import { openOwnNode } from "./own-node.ts";

const { own } = thisCluster();

/** As `kubectl delete pod` and `kubectl delete pod --grace-period=0 --force` send it. */
const deletes = {
  gracefully: { apiVersion: "v1", kind: "DeleteOptions" },
  byForce: { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 },
} as const;
type How = keyof typeof deletes;

describe.skipIf(own === null)("on our own cluster", () => {
  let scene: FaultScene;
  let slow: OwnNode | undefined;

  beforeAll(async () => {
    if (own !== null) slow = await openOwnNode(own, 8);
  });

  afterEach(async () => {
    slow?.pauseKubelet(false);
    await scene.end();
  });

  afterAll(() => slow?.end());

  const deletePod = (how: How) => scene.api.send("DELETE", scene.namespace.path("pods", scene.name), deletes[how]);
  const noneLives = (): Promise<void> =>
    until("nothing of it lives", async () => (await scene.alive()) === 0, patienceMs);

  test.each<How>(["gracefully", "byForce"])(
    "before it has a node, %s: the start says that it was removed, and the next one starts",
    async (how) => {
      scene = await openFaultScene({ declared: { nodeSelector: { nowhere: "true" } } });
      const starting = scene.start();
      await scene.untilTold("unschedulable");
      await deletePod(how);
      expect(await starting).toMatchObject({ outcome: "worldMoved" });
      await afterFault(scene, { alive: 0, orphans: 1, asked: scene.proxy.requests });
    },
  );

  test.each<How>(["gracefully", "byForce"])("while its node is about to begin with it, %s", async (how) => {
    const node = slow ?? expect.fail("there is no node");
    scene = await openFaultScene({ declared: node.declared });
    node.pauseKubelet(true);
    const starting = scene.start();
    await scene.untilTold("scheduled");
    await deletePod(how);
    expect(await starting).toMatchObject({ outcome: "worldMoved" });
    node.pauseKubelet(false);
    await until("its object is gone", async () => (await scene.instance()) === undefined, patienceMs);
    await afterFault(scene, { alive: 0, orphans: 1, asked: scene.proxy.requests });
    expect(await scene.start()).toMatchObject({ outcome: "started" });
    await afterFault(scene, { alive: 1, orphans: 1, asked: scene.proxy.requests });
  });

  test("right after it has started, gracefully: a start that still watches says so, and the next one waits for its end", async () => {
    scene = await openFaultScene();
    const starting = scene.start({ settleMs: 20_000 });
    await scene.untilTold("settling");
    await deletePod("gracefully");
    expect(await starting).toMatchObject({ outcome: "worldMoved" });
    const again = await scene.start();
    expect(again).toMatchObject({ outcome: "started" });
    await afterFault(scene, { alive: 1, orphans: 1, asked: scene.proxy.requests });
  });

  test("right after it has started, by force: nobody confirmed its end, and the start says that", async () => {
    scene = await openFaultScene();
    const starting = scene.start({ settleMs: 20_000, behaviour: "endsSlowly" });
    await scene.untilTold("settling");
    await deletePod("byForce");
    expect(await starting).toMatchObject({ outcome: "reported", condition: { code: "removedUnconfirmed" } });
    // True: its process goes on for its grace.
    await afterFault(scene, { alive: 1, orphans: 1, asked: scene.proxy.requests });
    await noneLives();
  });

  test("while a start waits for its end, by force: reported, and nothing is created in that call", async () => {
    scene = await openFaultScene();
    await scene.start({ behaviour: "endsSlowly" });
    await scene.stop(0);
    const waiting = scene.start();
    await scene.untilTold("ending", scene.told.length);
    await deletePod("byForce");
    expect(await waiting).toMatchObject({ condition: { code: "removedUnconfirmed" }, actions: [] });
    await afterFault(scene, { alive: 1, orphans: 1, asked: scene.proxy.requests });
    await noneLives();
    expect(await scene.start()).toMatchObject({ outcome: "started" });
  });

  test.each([0, 250, 500, 750, 1_000])(
    "by force %i ms after the create: never two, and never a wrong word",
    async (ms) => {
      scene = await openFaultScene();
      const starting = scene.start({ settleMs: 1_500 });
      await until("it is created", async () => (await scene.instance()) !== undefined, patienceMs);
      await new Promise((resolve) => setTimeout(resolve, ms));
      await deletePod("byForce");
      const { outcome, condition, actions } = await starting;
      // Last seen before its container ran, or while it did.
      expect([outcome, condition?.code]).toBeOneOf([
        ["worldMoved", "worldMoved"],
        ["reported", "removedUnconfirmed"],
      ]);
      expect(actions.filter(({ action }) => action === "create")).toHaveLength(1);
      expect(await scene.alive()).toBeLessThanOrEqual(1);
      await untilQuiet(scene);
      await afterFault(scene, { alive: 0, orphans: 1, asked: scene.proxy.requests });
    },
  );
});

/** A kubelet that was just about to begin may still do so, and then ends what it began: nothing has to live for two seconds. */
function untilQuiet({ layout, namespace }: FaultScene): Promise<void> {
  let since = performance.now();
  return until("the node has nothing of it any more", () => {
    if (runningContainers(layout, namespace.name, null) > 0) since = performance.now();
    return performance.now() - since > 2_000;
  });
}
