// What people are told of an agent whose node takes no pods like it, or is lost.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { FurtherNode } from "./further-node.ts";
import { openFurtherNode } from "./further-node.ts";
import type { PeopleScene } from "./people-scene.ts";
import { openPeopleScene } from "./people-scene.ts";
import { patienceMs } from "./scene.ts";
import { thisCluster } from "./this-cluster.ts";
import type { Layout } from "./up/layout.ts";
import { setNodeLink, untilNodeReady } from "./up/node.ts";
import { until } from "./up/run.ts";

const { own } = thisCluster();
const number = 7;

describe.skipIf(own === null)("a further node of our own cluster", () => {
  const layout = own as Layout;
  let further: FurtherNode;
  let scene: PeopleScene;

  beforeAll(async () => {
    further = await openFurtherNode(layout, number, {});
  }, patienceMs);

  afterAll(() => further.end(), patienceMs);

  beforeEach(async () => {
    scene = await openPeopleScene();
  });

  afterEach(() => scene.end());

  test("that the pod does not tolerate is told beside those that do not fit, in numbers", async () => {
    const { nodeSelector } = further.declared;
    const name = await scene.plant("scribe", "sleep 1000", {}, { nodeSelector });
    await until("it is told", async () => {
      const told = await scene.cluster.whyWaiting(name);
      return /: of \d+, .*1 has (?:a|the) taint.* not tolerated/.test(told?.message ?? "");
    });
  });

  test("that is lost: since when, what is certain, nothing forced; and its output cannot be had", async () => {
    const name = await scene.plant("scribe", "echo hello; sleep 1000", {}, further.declared);
    await scene.untilState(name, "running");
    expect(await scene.output({ pod: name })).toEqual(["hello"]);
    setNodeLink(layout, number, "down");
    try {
      await until("it is told", async () => (await scene.cluster.whyWaiting(name))?.code === "nodeLost", patienceMs);
      const told = await scene.cluster.whyWaiting(name);
      expect(told?.message).toMatch(new RegExp(`^its node ${further.node.name} does not answer since 20\\S+Z$`));
      expect(told?.hint).toContain(`describe node ${further.node.name}`);
      expect(told?.hint).not.toMatch(/--force|grace-period/);
      await expect(scene.output({ pod: name })).rejects.toMatchObject({ code: "logNodeUnreachable" });
    } finally {
      setNodeLink(layout, number, "up");
      await untilNodeReady(layout, number, true, patienceMs);
    }
  });
});
