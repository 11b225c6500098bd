// How often a start asks, by the API server's own record on a cluster of ours.
import { afterEach, describe, expect, test } from "vitest";
import type { Scene } from "./scene.ts";
import { openScene } from "./scene.ts";
import { thisCluster } from "./this-cluster.ts";
import { auditMark, requestsSince } from "./up/audit.ts";
import type { Layout } from "./up/layout.ts";

const { own } = thisCluster();
/** Milliseconds after which a start that waits reads again. */
const readEveryMs = 30_000;

describe.skipIf(own === null)("on our own cluster", () => {
  const layout = own as Layout;
  let scene: Scene;

  afterEach(() => scene.end());

  /** What was asked in the scene's namespace by anybody but the parts of the cluster. */
  async function asked(work: () => Promise<unknown>): Promise<string[]> {
    const mark = auditMark(layout);
    await work();
    const requests = await requestsSince(layout, mark);
    return requests
      .filter(({ userAgent, namespace }) => userAgent === "moorage" && namespace === scene.namespace.name)
      .map(({ verb, resource }) => `${verb} ${resource}`);
  }

  test("a fresh start asks six times at most, and only watches while it waits", async () => {
    scene = await openScene();
    const began = performance.now();
    const requests = await asked(async () => expect(await scene.start()).toMatchObject({ outcome: "started" }));
    const reads = Math.floor((performance.now() - began) / readEveryMs);
    const watched = requests.indexOf("watch pods") + 1;
    expect(watched).toBeGreaterThan(0);
    expect(watched).toBeLessThanOrEqual(6);
    // On a machine that is slow enough: each read, and the watch that goes on from it.
    expect(requests.length - watched).toBeLessThanOrEqual(2 * reads);
  });

  test("a start of an agent that runs asks once", async () => {
    scene = await openScene();
    await scene.start();
    const requests = await asked(async () => expect(await scene.start()).toMatchObject({ outcome: "alreadyRunning" }));
    expect(requests).toEqual(["list pods"]);
  });
});
