// An image that does not fit on the node's disk, and what becomes of a start that waits when there is space again.
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FurtherNode } from "../further-node.ts";
import { imageFolder, openFurtherNode } from "../further-node.ts";
import { openScene } from "../scene.ts";
import { thisCluster } from "../this-cluster.ts";
import type { Layout } from "../up/layout.ts";
import { registry } from "../up/layout.ts";
import { until } from "../up/run.ts";
import { freshName, pushUnique } from "./pushed.ts";

const { own } = thisCluster();

/** Megabytes; the sandbox's image and the runtime's own records need less than half of it. */
const imageDisk = 32;
/** Bytes that are left: an image has one million as it comes, and two more when it is unpacked. */
const leftOver = { "comes in": 500_000, "is unpacked": 1_800_000 };

describe.skipIf(own === null)("a node whose disk for images is full", () => {
  const layout = own as Layout;
  let further: FurtherNode;

  beforeAll(async () => {
    further = await openFurtherNode(layout, 9, { imageDisk });
  });
  afterAll(() => further.end());

  for (const [stage, left] of Object.entries(leftOver))
    test(`when the image ${stage}, the start waits and says that the disk is full, and goes on when there is space`, async ({
      onTestFinished,
    }) => {
      const folder = imageFolder(further.node);
      const scene = await openScene({ declared: further.declared });
      onTestFinished(() => scene.end());
      // The sandbox's image comes first: without it there is no pull of the agent's.
      await scene.start();
      await scene.stop();
      const repository = freshName("large");
      const digest = await pushUnique(`127.0.0.1:${layout.registryPort}`, repository);
      const image = `${registry(layout)}/${repository}@${digest}`;
      const filler = join(folder, "filler");
      const { bavail, bsize } = statfsSync(folder);
      onTestFinished(() => rmSync(filler, { force: true }));
      writeFileSync(filler, Buffer.alloc(bavail * bsize - left));
      const waiting = scene.start({ image });
      const says = (message: string): boolean => message.includes("the node's disk is full");
      await until("it says why", () => scene.told.some(({ message }) => says(message)), 60_000);
      const before = await scene.instance();
      expect(before?.fence.uid).toBeDefined();
      expect(await scene.start({ image, deadlineMs: 0 })).toMatchObject({
        outcome: "notConfirmed",
        condition: { message: expect.toSatisfy(says) },
        actions: [],
      });
      rmSync(filler);
      expect(await waiting).toMatchObject({ outcome: "started", condition: null, actions: [{ action: "create" }] });
      expect((await scene.instance())?.fence.uid).toBe(before?.fence.uid);
      expect(await scene.alive()).toBe(1);
    });
});
