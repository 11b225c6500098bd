// The API server and its store fail while a start or a stop is under way: nothing is made twice, and both go on when they are back.
import type { StartOutcome } from "@moorage/core";
import { afterEach, describe, expect, test } from "vitest";
import { thisCluster } from "../this-cluster.ts";
import { adminRequest } from "../up/admin.ts";
import type { Layout } from "../up/layout.ts";
import { partLives, restartPart, signalPart, stopPart } from "../up/part.ts";
import { until } from "../up/run.ts";
import { afterFault } from "./after-fault.ts";
import type { FaultScene } from "./fault-scene.ts";
import { openFaultScene } from "./fault-scene.ts";

const { own } = thisCluster();
const label = "moorage.test/let-go";
const limits = { readMs: 2_000, changeMs: 2_000 };

describe.skipIf(own === null)("on our own cluster", () => {
  const layout = own as Layout;
  const heal: (() => void | Promise<void>)[] = [];
  let scene: FaultScene;

  afterEach(async () => {
    for (const mend of heal.splice(0).reverse()) await mend();
    await scene.end();
  });

  const apiServerAnswers = (): Promise<void> =>
    until("the API server is ready", async () => (await adminRequest(layout, "GET", "/readyz")).status === 200);

  async function startAgain(): Promise<void> {
    if (!partLives(layout.dir, "apiserver")) restartPart(layout.dir, "apiserver");
    await apiServerAnswers();
  }

  function pause(part: "apiserver" | "etcd"): () => Promise<void> {
    const goOn = async (): Promise<void> => {
      signalPart(layout.dir, part, "SIGCONT");
      await apiServerAnswers();
    };
    heal.push(goOn);
    signalPart(layout.dir, part, "SIGSTOP");
    return goOn;
  }

  /** A start that waits for a node with our label; none has it until it is let go. */
  async function waitingStart(): Promise<{ readonly outcome: Promise<StartOutcome>; letGo(): Promise<void> }> {
    scene = await openFaultScene({ limits, declared: { nodeSelector: { [label]: "yes" } } });
    const setLabel = async (value: string | null): Promise<void> => {
      await adminRequest(layout, "PATCH", "/api/v1/nodes/node1", { metadata: { labels: { [label]: value } } });
    };
    heal.push(() => setLabel(null));
    const outcome = scene.start();
    await scene.untilTold("unschedulable");
    await until("it watches", () => scene.proxy.watches > 0);
    return { outcome, letGo: () => setLabel("yes") };
  }

  test.each<readonly [string, () => Promise<void>]>([
    ["stopped", () => stopPart(layout.dir, "apiserver")],
    [
      "killed",
      async () => {
        signalPart(layout.dir, "apiserver", "SIGKILL");
        await stopPart(layout.dir, "apiserver");
      },
    ],
  ])(
    "the API server is %s while a start watches, and started again: the start goes on and ends well",
    async (_how, end) => {
      const { outcome, letGo } = await waitingStart();
      heal.push(startAgain);
      const from = scene.told.length;
      await end();
      await scene.untilTold("unreachable", from);
      await startAgain();
      await letGo();
      expect(await outcome).toMatchObject({ outcome: "started" });
      await afterFault(scene, { alive: 1, asked: scene.proxy.requests });
    },
  );

  test("the API server is paused while a start watches: the start notices at its next read, and goes on", async () => {
    const { outcome, letGo } = await waitingStart();
    const from = scene.told.length;
    const goOn = pause("apiserver");
    // The loop reads again after 30 s without news.
    await scene.untilTold("unreachable", from);
    await goOn();
    await letGo();
    expect(await outcome).toMatchObject({ outcome: "started" });
    await afterFault(scene, { alive: 1, asked: scene.proxy.requests });
  });

  test.each(["apiserver", "etcd"] as const)("%s is paused in the middle of a create, and of a delete", async (part) => {
    scene = await openFaultScene({ limits });
    let pauses = 0;
    const pauseAt = (sent: string): void => {
      let met = false;
      scene.proxy.decide(({ method, path }) => {
        if (met || method !== sent || !path.includes("/pods")) return { kind: "pass" };
        met = true;
        pauses += 1;
        const goOn = pause(part);
        void scene.untilTold("unreachable", scene.told.length).then(goOn);
        return { kind: "pass" };
      });
    };
    pauseAt("POST");
    expect(await scene.start()).toMatchObject({ outcome: "started" });
    expect(pauses).toBe(1);
    await afterFault(scene, { alive: 1, asked: scene.proxy.requests });
    pauseAt("DELETE");
    expect(await scene.stop()).toMatchObject({ outcome: "stopped" });
    expect(pauses).toBe(2);
    await afterFault(scene, { alive: 0, asked: scene.proxy.requests });
  });
});
