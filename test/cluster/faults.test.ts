// What breaks under an agent, a start or a stop on a cluster of ours: the API server, a node, and people.
import type { Json } from "@moorage/core";
import { afterEach, describe, expect, test } from "vitest";
import type { Scene } from "./scene.ts";
import { openScene, patienceMs } from "./scene.ts";
import { thisCluster } from "./this-cluster.ts";
import type { Layout } from "./up/layout.ts";
import { setNodeLink, untilNodeReady } from "./up/node.ts";
import { restartPart, signalPart, stopPart } from "./up/part.ts";
import { until } from "./up/run.ts";

const { own } = thisCluster();

describe.skipIf(own === null)("on our own cluster", () => {
  const layout = own as Layout;
  const heal: (() => void | Promise<void>)[] = [];
  let scene: Scene;

  afterEach(async () => {
    for (const mend of heal.splice(0).reverse()) await mend();
    await scene.end();
  });

  const apiServerAnswers = (): Promise<void> =>
    until("the API server answers", async () => (await scene.api.send("GET", "/readyz")).status === 200, patienceMs);

  /** A start that waits: its node takes no pods until it is told to. */
  async function waitingStart(): Promise<{ readonly outcome: ReturnType<Scene["start"]>; letGo(): Promise<void> }> {
    await setCordon(scene, true);
    const letGo = (): Promise<void> => setCordon(scene, false);
    heal.push(letGo);
    const outcome = scene.start();
    await scene.untilContainer("it waits for a node", ({ state }) => state !== "running");
    return { outcome, letGo };
  }

  test("the API server is stopped and started while a start waits: the start goes on and ends well", async () => {
    scene = await openScene();
    const { outcome, letGo } = await waitingStart();
    await stopPart(layout.dir, "apiserver");
    restartPart(layout.dir, "apiserver");
    await apiServerAnswers();
    await letGo();
    expect(await outcome).toMatchObject({ outcome: "started" });
    expect(await scene.alive()).toBe(1);
  });

  test("the API server is paused while a start waits: nothing is made twice", async () => {
    scene = await openScene();
    const { outcome, letGo } = await waitingStart();
    signalPart(layout.dir, "apiserver", "SIGSTOP");
    heal.push(() => void signalPart(layout.dir, "apiserver", "SIGCONT"));
    const before = scene.told.length;
    // The loop reads again after 30 s without news, and is told that nobody answers.
    await until(
      "the start notices",
      () => scene.told.slice(before).some(({ code }) => code === "unreachable"),
      patienceMs,
    );
    signalPart(layout.dir, "apiserver", "SIGCONT");
    await apiServerAnswers();
    await letGo();
    expect(await outcome).toMatchObject({ outcome: "started" });
    expect(await scene.alive()).toBe(1);
  });

  test("a pod that somebody removes by force while it runs is told as that, and nothing is created in that call", async () => {
    scene = await openScene();
    await scene.start({ behaviour: "endsSlowly" });
    await scene.stop(0);
    const before = scene.told.length;
    const waiting = scene.start();
    const waits = (): boolean => scene.told.slice(before).some(({ code }) => code === "ending");
    await until("the start waits for its end", waits, patienceMs);
    await scene.api.send("DELETE", scene.namespace.path("pods", scene.name), {
      apiVersion: "v1",
      kind: "DeleteOptions",
      gracePeriodSeconds: 0,
    });
    expect(await waiting).toMatchObject({ condition: { code: "removedUnconfirmed" }, actions: [] });
    expect(await scene.start()).toMatchObject({ outcome: "started" });
  });

  test("a node that is cut off: what runs there is told as started and out of reach, a stop waits and never forces, and goes on when it is back", async () => {
    scene = await openScene();
    await scene.start();
    setNodeLink(layout, 1, "down");
    heal.push(async () => {
      setNodeLink(layout, 1, "up");
      await untilNodeReady(layout, 1, true, patienceMs);
    });
    await untilNodeReady(layout, 1, false, patienceMs);
    await until(
      "the pod is told as out of reach",
      async () => ((await scene.instance())?.evidence.nodeLost ?? null) !== null,
      patienceMs,
    );
    expect(await scene.start()).toMatchObject({ outcome: "alreadyRunning", condition: { code: "nodeUnreachable" } });
    const stopped = await scene.stop(3_000);
    expect(stopped).toMatchObject({ outcome: "notConfirmed" });
    expect(stopped.condition?.message).toContain("node1");
    expect(await scene.start({ deadlineMs: 3_000 })).toMatchObject({ outcome: "notConfirmed" });
    expect(await scene.alive()).toBe(1);
    setNodeLink(layout, 1, "up");
    await untilNodeReady(layout, 1, true, patienceMs);
    expect(await scene.stop()).toMatchObject({ outcome: expect.stringMatching(/^(stopped|nothing)$/) });
    expect(await scene.alive()).toBe(0);
  });
});

async function setCordon(scene: Scene, unschedulable: boolean): Promise<void> {
  await until(
    `the node is ${unschedulable ? "" : "un"}cordoned`,
    async () => {
      const { object } = await scene.api.send("GET", "/api/v1/nodes/node1");
      if (object === null) return false;
      const node = object as { spec: Record<string, Json> };
      const changed = { ...node, spec: { ...node.spec, unschedulable } };
      return (await scene.api.send("PUT", "/api/v1/nodes/node1", changed)).status === 200;
    },
    patienceMs,
  );
}
