// Bounds of the disk that an agent may use, on a node that measures it: who goes beyond them is taken off, which is told, and the next start brings it back.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PodTemplate } from "@moorage/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FurtherNode } from "../further-node.ts";
import { openFurtherNode } from "../further-node.ts";
import { harnessImage, workspaceOf } from "../harness-scene.ts";
import { harnessTemplateOf } from "../harness-template.ts";
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
  const layout = own as Layout;
  let further: FurtherNode;

  beforeAll(async () => {
    further = await openFurtherNode(layout, 8, {
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

  test.concurrent("an agent that ends in good order when it is evicted is told as evicted too, whatever its pod says of it", async ({
    onTestFinished,
  }) => {
    const template = harnessTemplateOf(await harnessImage(layout), ["quiet"]);
    const workspace = { kind: "temporary", sizeLimit: "1Mi" } as const;
    const scene = await openRestrictedScene({ declared: { ...template, ...further.declared, workspace } });
    onTestFinished(() => scene.end());
    expect(await scene.start()).toMatchObject({ outcome: "started" });
    const { metadata } = await storedPod(scene);
    const folder = workspaceOf(scene, { metadata, spec: { nodeName: further.node.name } });
    writeFileSync(join(folder, "much"), Buffer.alloc(5_000_000));
    await scene.untilContainer("it has ended", ({ state }) => state === "terminated");
    // A kubelet forgets that it has evicted whoever ends with 0 at once; then the harness's note alone tells.
    expect((await scene.instance())?.evidence.container).toMatchObject({ ending: { reason: "evicted" } });
  });
});
