// Bounds of the disk that an agent may use, on a node that measures it: who goes beyond them is taken off, which is told, and the next start brings it back.
import type { PodTemplate } from "@moorage/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FurtherNode } from "../further-node.ts";
import { openFurtherNode } from "../further-node.ts";
import { thisCluster } from "../this-cluster.ts";
import type { Layout } from "../up/layout.ts";
import { openRestrictedScene, storedPod } from "./restricted-scene.ts";

const { own } = thisCluster();

const bounded: Readonly<Record<string, Partial<PodTemplate>>> = {
  "a size limit of its workspace": { workspace: { kind: "temporary", sizeLimit: "1Mi" } },
  "a limit of ephemeral storage": {
    resources: { requests: { "ephemeral-storage": "1Mi" }, limits: { memory: "64Mi", "ephemeral-storage": "1Mi" } },
  },
};

describe.skipIf(own === null)("on a node that measures disks", () => {
  let further: FurtherNode;

  beforeAll(async () => {
    further = await openFurtherNode(own as Layout, 8, {
      kubelet: { localStorageCapacityIsolation: true, volumeStatsAggPeriod: "2s" },
    });
  });
  afterAll(() => further.end());

  for (const [title, declared] of Object.entries(bounded))
    test.concurrent(`an agent that goes beyond ${title} is evicted, and the next start brings it back`, async ({
      onTestFinished,
    }) => {
      const command = ["/bin/sh", "-c", "busybox head -c 5000000 /dev/zero > $HOME/much; while :; do sleep 1; done"];
      const scene = await openRestrictedScene({ declared: { ...further.declared, ...declared, command } });
      onTestFinished(() => scene.end());
      expect(await scene.start()).toMatchObject({ outcome: "started" });
      await scene.untilContainer("it is evicted", ({ state }) => state === "terminated");
      expect((await storedPod(scene)).status).toMatchObject({ phase: "Failed", reason: "Evicted" });
      expect((await scene.instance())?.evidence.container).toMatchObject({ ending: { reason: "evicted" } });
      expect(await scene.alive()).toBe(0);
      expect(await scene.start()).toMatchObject({
        outcome: "started",
        actions: [{ action: "delete" }, { action: "create" }],
      });
    });
});
