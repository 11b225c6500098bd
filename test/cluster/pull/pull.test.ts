// What a start says of an image that cannot be pulled, and what becomes of it when the registry has healed: the kubelet's and the runtime's own words, by real registries and one that misbehaves.
import type { StartOutcome } from "@moorage/core";
import type { TestContext } from "vitest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Scene } from "../scene.ts";
import { openScene } from "../scene.ts";
import { thisCluster } from "../this-cluster.ts";
import type { Layout } from "../up/layout.ts";
import { until } from "../up/run.ts";
import { lasting } from "./lasting.ts";
import type { Meeting, Row } from "./meetings.ts";
import { pullSecretName } from "./meetings.ts";
import { passing } from "./passing.ts";
import { foreignFiles, freshName, pushUnique } from "./pushed.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const { own } = thisCluster();

/** Milliseconds. The kubelet tries again after 10 s, 20 s, 40 s. */
const waitMs = 60_000;

describe.skipIf(own === null)("an image that cannot be pulled", () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage(own as Layout);
  });
  afterAll(() => stage.end());

  for (const row of lasting)
    test.concurrent(`${row.title}: reported at once, and after a stop the next start succeeds`, async ({
      onTestFinished,
    }) => {
      const { start, heal, scene } = await meet(stage, row, onTestFinished);
      const report = {
        outcome: "reported",
        condition: { code: expect.toSatisfy(isOneOf(row.told)), message: expect.stringMatching(row.says) },
      };
      const first = await start();
      expect(first).toMatchObject(report);
      expect(actionsOf(first)).toEqual(["create"]);
      const failing = await uidOf(scene);
      const second = await start();
      expect(second).toMatchObject(report);
      expect(actionsOf(second)).toEqual([]);
      expect(await uidOf(scene)).toBe(failing);
      await heal();
      expect(await scene.stop()).toMatchObject({ outcome: "stopped" });
      expect(await start()).toMatchObject({ outcome: "started", condition: null });
      expect(await scene.alive()).toBe(1);
    });

  test.concurrent("a report is not remembered: once the registry has healed, the pod runs by itself", async ({
    onTestFinished,
  }) => {
    const row = lasting.find(({ title }) => title === "an unknown digest") ?? expect.fail("no such row");
    const { start, heal, scene } = await meet(stage, row, onTestFinished);
    expect(await start()).toMatchObject({ outcome: "reported" });
    const failing = await uidOf(scene);
    await heal();
    await scene.untilContainer("the kubelet has tried again", ({ state }) => state === "running");
    expect(await start()).toMatchObject({ outcome: "alreadyRunning", condition: null });
    expect(await uidOf(scene)).toBe(failing);
    expect(await scene.alive()).toBe(1);
  });

  test.concurrent("an image for another architecture is pulled and ends at once: its log says why", async ({
    onTestFinished,
  }) => {
    const { front, upstream } = stage;
    const scene = await openScene();
    onTestFinished(() => scene.end());
    const repository = freshName("foreign");
    const digest = await pushUnique(upstream, repository, { files: foreignFiles(), architecture: "alpha" });
    const outcome = await scene.start({ image: `${front.host}/${repository}@${digest}`, settleMs: 30_000 });
    expect(outcome).toMatchObject({ outcome: "reported", condition: { code: "agentEnded" } });
    expect(actionsOf(outcome)).toEqual(["create"]);
    const log = await scene.api.text(`${scene.namespace.path("pods", scene.name)}/log`);
    expect(log).toContain("exec format error");
    expect(await scene.alive()).toBe(0);
    expect(await scene.start()).toMatchObject({ outcome: "started" });
    expect(await scene.alive()).toBe(1);
  });

  for (const row of passing)
    test.concurrent(`${row.title}: waited for, and it goes on when that has passed`, async ({ onTestFinished }) => {
      const { start, heal, scene, shown } = await meet(stage, row, onTestFinished);
      const waiting = start();
      await until(
        "it says what it waits for",
        () =>
          scene.told.some(
            ({ step, code, message }) => step === "wait" && code === row.told && row.says.test(message),
          ) && shown(),
        waitMs,
      );
      const failing = await uidOf(scene);
      const look = await start(0);
      expect(look).toMatchObject({
        outcome: "notConfirmed",
        condition: { message: expect.stringMatching(row.says) },
      });
      expect(actionsOf(look)).toEqual([]);
      await heal();
      const outcome = await waiting;
      expect(outcome).toMatchObject({ outcome: "started", condition: null });
      expect(actionsOf(outcome)).toEqual(["create"]);
      expect(await uidOf(scene)).toBe(failing);
      expect(await scene.alive()).toBe(1);
    });
});

function isOneOf(codes: readonly string[] | string): (code: unknown) => boolean {
  return (code) => codes.includes(String(code));
}

interface Met {
  readonly scene: Scene;
  /** With what the row declares; a deadline in milliseconds. */
  start(deadlineMs?: number): Promise<StartOutcome>;
  heal(): Promise<void>;
  shown(): boolean;
}

async function meet(stage: Stage, row: Row, onTestFinished: TestContext["onTestFinished"]): Promise<Met> {
  const { image, declared = {}, credentials, shown = () => true, heal }: Meeting = await row.meet(stage);
  const scene = await openScene({ declared });
  onTestFinished(() => scene.end());
  const putCredentials = (content: string): Promise<void> => putPullSecret(scene, content);
  if (credentials !== undefined) await putCredentials(credentials);
  return {
    scene,
    start: (deadlineMs = waitMs) => scene.start({ image, deadlineMs }),
    heal: async () => heal({ putCredentials }),
    shown,
  };
}

async function putPullSecret({ api, namespace }: Scene, content: string): Promise<void> {
  await api.send("DELETE", namespace.path("secrets", pullSecretName));
  const { status } = await api.send("POST", namespace.path("secrets"), {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/dockerconfigjson",
    metadata: { name: pullSecretName },
    stringData: { ".dockerconfigjson": content },
  });
  expect(status).toBe(201);
}

async function uidOf(scene: Scene): Promise<string> {
  return (await scene.instance())?.fence.uid ?? expect.fail("there is no pod");
}

function actionsOf({ actions }: StartOutcome): string[] {
  return actions.map(({ action }) => action);
}
