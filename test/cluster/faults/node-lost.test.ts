// Nodes that nobody hears of: cut off, without a kubelet, and one whose object somebody deletes. What runs there goes on, and nothing is started beside it.
import type { StartOutcome } from "@moorage/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { patienceMs } from "../scene.ts";
import { thisCluster } from "../this-cluster.ts";
import { until } from "../up/run.ts";
import { afterFault } from "./after-fault.ts";
import type { FaultScene } from "./fault-scene.ts";
import { openFaultScene } from "./fault-scene.ts";
import type { OwnNode } from "./own-node.ts";
import { openOwnNode } from "./own-node.ts";

const { own } = thisCluster();

// One set-up for all: a node is counted as lost only after half a minute, and pods of a node that is no more go after a whole one.
describe.skipIf(own === null)("two nodes that are cut off at the same time", () => {
  const nodes: OwnNode[] = [];
  const scenes: FaultScene[] = [];
  let lost: OwnNode;
  let leftAlone: FaultScene;
  let stopped: FaultScene;
  /** The one whose Node object is deleted, and a start that waits there for the end of a stop. */
  let forgotten: OwnNode;
  let waiting: FaultScene;
  let outcome: Promise<StartOutcome>;

  async function agentOn(node: OwnNode): Promise<FaultScene> {
    const scene = await openFaultScene({ declared: node.declared });
    scenes.push(scene);
    expect(await scene.start()).toMatchObject({ outcome: "started" });
    return scene;
  }

  const isLost = async (scene: FaultScene): Promise<boolean> =>
    ((await scene.instance())?.evidence.nodeLost ?? null) !== null;

  beforeAll(async () => {
    if (own === null) return;
    for (const number of [6, 7]) nodes.push(await openOwnNode(own, number));
    [lost, forgotten] = nodes as [OwnNode, OwnNode];
    [leftAlone, stopped, waiting] = await Promise.all([agentOn(lost), agentOn(lost), agentOn(forgotten)]);
    for (const node of nodes) node.link("down");
    await waiting.stop(0);
    outcome = waiting.start();
    await waiting.untilTold("ending");
    await waiting.api.send("DELETE", `/api/v1/nodes/${forgotten.name}`);
    await lost.ready(false);
    for (const scene of [leftAlone, stopped])
      await until("the pod is told as out of reach", () => isLost(scene), patienceMs);
  });

  afterAll(async () => {
    for (const node of nodes) node.link("up");
    for (const scene of scenes) await scene.end();
    for (const node of nodes) await node.end();
  });

  test("the agent is told as running there when it was last heard of, and a start changes nothing", async () => {
    const told = await leftAlone.start();
    expect(told).toMatchObject({ outcome: "alreadyRunning", requests: 1, condition: { code: "nodeUnreachable" } });
    expect(told.condition?.message).toContain(lost.name);
    expect(told.condition?.message).toMatch(/since \d{4}-\d\d-\d\dT/);
    await afterFault(leftAlone, { alive: 1, asked: leftAlone.proxy.requests });
  });

  test("a stop and every start after it wait, say which node since when, and never force", async () => {
    for (const told of [await stopped.stop(2_000), await stopped.start({ deadlineMs: 2_000 })]) {
      expect(told).toMatchObject({ outcome: "notConfirmed" });
      expect(told.condition?.message).toContain(lost.name);
      expect(told.condition?.message).toMatch(/since \d{4}-\d\d-\d\dT/);
    }
    expect(stopped.told.map(({ code }) => code)).toContain("nodeLost");
    expect((await stopped.instance())?.deletion).not.toBe(null);
    await afterFault(stopped, { alive: 1, asked: stopped.proxy.requests });
  });

  test("within reach again, but without its kubelet, nothing is different; with it the stop comes to its end", async () => {
    await lost.stopKubelet();
    lost.link("up");
    const from = stopped.told.length;
    const stopping = stopped.stop();
    await stopped.untilTold("nodeLost", from);
    expect(await leftAlone.start()).toMatchObject({
      outcome: "alreadyRunning",
      condition: { code: "nodeUnreachable" },
    });
    await afterFault(stopped, { alive: 1 });
    lost.startKubelet();
    expect(await stopping).toMatchObject({ outcome: "stopped" });
    await afterFault(stopped, { alive: 0, asked: stopped.proxy.requests });
    await until("the node is heard of", async () => !(await isLost(leftAlone)), patienceMs);
    expect(await leftAlone.start()).toMatchObject({ outcome: "alreadyRunning", condition: null });
    expect(await stopped.start()).toMatchObject({ outcome: "started", condition: null });
  });

  test("the Node object is deleted while the node is cut off: the start that waits reports it and creates nothing", async () => {
    expect(await outcome).toMatchObject({
      outcome: "reported",
      condition: { code: "removedUnconfirmed" },
      actions: [],
    });
    // The machine was never off: it goes on there.
    await afterFault(waiting, { alive: 1, orphans: 1, asked: waiting.proxy.requests });
    forgotten.link("up");
    // A kubelet makes its Node object when it starts; then it ends what is not wanted any more.
    await forgotten.stopKubelet();
    forgotten.startKubelet();
    await until("what ran there has ended", async () => (await waiting.alive()) === 0, patienceMs);
    expect(await waiting.start()).toMatchObject({ outcome: "started" });
    await afterFault(waiting, { alive: 1, orphans: 1, asked: waiting.proxy.requests });
  });
});
