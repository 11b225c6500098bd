// 5,000 pods of others in the namespace: a start, a no-op and a stop ask no more than without them, and get no more to read.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { patienceMs } from "../scene.ts";
import { thisCluster } from "../this-cluster.ts";
import { until } from "../up/run.ts";
import { afterFault } from "./after-fault.ts";
import type { FaultScene } from "./fault-scene.ts";
import { openFaultScene } from "./fault-scene.ts";
import { idlePod } from "./webhook.ts";

const { own } = thisCluster();
const crowd = 5_000;
const atOnce = 24;

describe.skipIf(own === null)("on our own cluster", () => {
  let scene: FaultScene;

  beforeEach(async () => {
    scene = await openFaultScene();
  });

  afterEach(() => scene.end());

  test("5,000 pods of others in the namespace make no request more", async () => {
    const { api, namespace, here } = scene;
    let made = 0;
    const make = async (): Promise<void> => {
      for (let next = (made += 1); next <= crowd; next = made += 1) {
        const { status } = await api.send("POST", namespace.path("pods"), idlePod(`other-${next}`, here.image));
        if (status !== 201) throw new Error(`planting answered ${status}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, make));
    const fresh = await scene.start();
    expect(fresh).toMatchObject({ outcome: "started" });
    expect(fresh.requests).toBeLessThanOrEqual(6);
    expect(await scene.start()).toMatchObject({ outcome: "alreadyRunning", requests: 1 });
    const stopped = await scene.stop();
    expect(stopped).toMatchObject({ outcome: "stopped" });
    expect(stopped.requests).toBeLessThanOrEqual(7);
    // Whatever is read is chosen by our label: nobody else's pods travel.
    const reads = scene.proxy.requests.filter(({ method }) => method === "GET");
    expect(reads.filter(({ selector }) => selector === null)).toEqual([]);
    await afterFault(scene, { alive: 0, asked: scene.proxy.requests });
    await api.send("DELETE", namespace.path("pods"), { gracePeriodSeconds: 0 });
    await until(
      "the crowd is gone",
      async () => {
        const { object } = await api.send("GET", `${namespace.path("pods")}?limit=1`);
        return (object as { items: unknown[] } | null)?.items.length === 0;
      },
      patienceMs,
    );
  });
});
