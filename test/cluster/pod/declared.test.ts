// What may be declared for a pod beside its defaults: stored as it was said, admitted by "restricted", and of effect on a real node.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Json, PodTemplate } from "@moorage/core";
import { afterEach, describe, expect, test } from "vitest";
import type { Scene } from "../scene.ts";
import { patienceMs } from "../scene.ts";
import { thisCluster } from "../this-cluster.ts";
import { adminRequest } from "../up/admin.ts";
import type { Layout } from "../up/layout.ts";
import { until } from "../up/run.ts";
import { openRestrictedScene, storedPod } from "./restricted-scene.ts";

const { own } = thisCluster();
const undo: (() => unknown)[] = [];
let scene: Scene;

afterEach(async () => {
  await scene.end();
  for (const one of undo.splice(0).reverse()) await one();
});

async function make(path: string, object: Record<string, Json>): Promise<void> {
  expect(await scene.api.send("POST", path, object)).toMatchObject({ status: 201 });
}

const waitsFor = (words: RegExp): Promise<void> =>
  until(
    "it says what it waits for",
    () => scene.told.some(({ step, message }) => step === "wait" && words.test(message)),
    patienceMs,
  );

test("bounds of every kind are stored as they were declared", async () => {
  const declared: Partial<PodTemplate> = {
    resources: {
      requests: { cpu: "20m", memory: "32Mi", "ephemeral-storage": "64Mi" },
      limits: { cpu: "500m", memory: "64Mi", "ephemeral-storage": "128Mi" },
    },
    workspace: { kind: "temporary", sizeLimit: "32Mi" },
    activeDeadlineMs: 3_600_000,
    imagePullSecrets: ["registry", "other"],
    graceMs: 1_500,
  };
  scene = await openRestrictedScene({ declared });
  expect((await scene.start({ deadlineMs: 0 })).outcome).toMatch(/^(started|notConfirmed)$/);
  expect((await storedPod(scene)).spec).toMatchObject({
    containers: [{ resources: declared.resources }],
    volumes: [{ name: "workspace", emptyDir: { sizeLimit: "32Mi" } }],
    activeDeadlineSeconds: 3_600,
    imagePullSecrets: [{ name: "registry" }, { name: "other" }],
    terminationGracePeriodSeconds: 2,
  });
});

test("an active deadline ends the agent, which is told, and the next start brings it back", async () => {
  scene = await openRestrictedScene({ declared: { activeDeadlineMs: 3_000 } });
  expect(await scene.start()).toMatchObject({ outcome: "started" });
  const first = (await scene.instance())?.fence.uid;
  await scene.untilContainer("its deadline is over", ({ state }) => state === "terminated");
  expect((await storedPod(scene)).status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
  expect(await scene.alive()).toBe(0);
  expect(await scene.start()).toMatchObject({
    outcome: "started",
    actions: [{ action: "delete" }, { action: "create" }],
  });
  expect((await scene.instance())?.fence.uid).not.toBe(first);
});

describe.skipIf(own === null)("on our own cluster", () => {
  const layout = own as Layout;

  async function patchNode(change: Json): Promise<void> {
    expect((await adminRequest(layout, "PATCH", "/api/v1/nodes/node1", change)).status).toBe(200);
  }

  test("a node selector waits for a node that has what it asks for, and goes there", async () => {
    scene = await openRestrictedScene({ declared: { nodeSelector: { "moorage.test/disk": "fast" } } });
    const waiting = scene.start();
    await waitsFor(/no node takes it/);
    undo.push(() => patchNode({ metadata: { labels: { "moorage.test/disk": null } } }));
    await patchNode({ metadata: { labels: { "moorage.test/disk": "fast" } } });
    expect(await waiting).toMatchObject({ outcome: "started", actions: [{ action: "create" }] });
    const { spec } = await storedPod(scene);
    expect(spec).toMatchObject({ nodeName: "node1", nodeSelector: { "moorage.test/disk": "fast" } });
  });

  test("a taint keeps agents away that do not tolerate it, and a toleration lets one through", async () => {
    const tolerations = [
      { key: "moorage.test/reserved", operator: "Equal", value: "yes", effect: "NoSchedule" },
    ] as const;
    scene = await openRestrictedScene();
    undo.push(() => patchNode({ spec: { taints: null } }));
    await patchNode({ spec: { taints: [{ key: "moorage.test/reserved", value: "yes", effect: "NoSchedule" }] } });
    expect(await scene.start({ deadlineMs: 2_000 })).toMatchObject({
      outcome: "notConfirmed",
      condition: { message: expect.stringMatching(/no node takes it/) },
    });
    await scene.end();
    scene = await openRestrictedScene({ declared: { tolerations } });
    expect(await scene.start()).toMatchObject({ outcome: "started" });
    expect((await storedPod(scene)).spec.tolerations).toContainEqual(tolerations[0]);
  });

  test("a runtime class that is there runs it; one that is not is refused by its name, and nothing is left", async () => {
    const runtimeClass = `moorage-test-${process.pid}`;
    scene = await openRestrictedScene({ declared: { runtimeClass } });
    const refused = await scene.start();
    expect(refused).toMatchObject({
      outcome: "refused",
      condition: { message: expect.stringContaining(runtimeClass) },
    });
    expect(await scene.instance()).toBeUndefined();
    const classes = "/apis/node.k8s.io/v1/runtimeclasses";
    undo.push(() => adminRequest(layout, "DELETE", `${classes}/${runtimeClass}`));
    await make(classes, {
      apiVersion: "node.k8s.io/v1",
      kind: "RuntimeClass",
      metadata: { name: runtimeClass },
      handler: "runc",
    });
    let outcome = refused;
    // The admission that looks for it has a list of its own, which may be a moment behind.
    await until("the class is known", async () => {
      outcome = await scene.start();
      return outcome.outcome !== "refused";
    });
    expect(outcome).toMatchObject({ outcome: "started" });
    expect((await storedPod(scene)).spec).toMatchObject({ runtimeClassName: runtimeClass });
  });

  test("a claimed workspace waits until it is bound, and what is written there outlives the pod", async () => {
    const dir = mkdtempSync(join(layout.dir, "volume-"));
    undo.push(() => rmSync(dir, { recursive: true, force: true }));
    const path = join(dir, "data");
    // Volumes of this kind do not take over the group of a pod.
    mkdirSync(path);
    chmodSync(path, 0o777);
    const declared: Partial<PodTemplate> = {
      workspace: { kind: "claim", claim: "data" },
      command: ["/bin/sh", "-c", "echo run >> $HOME/runs; trap 'exit 0' TERM; sleep 100000 & wait"],
    };
    scene = await openRestrictedScene({ declared });
    const waiting = scene.start();
    await waitsFor(/no node takes it/);
    const name = scene.namespace.name;
    undo.push(() => adminRequest(layout, "DELETE", `/api/v1/persistentvolumes/${name}`));
    const bounds = { accessModes: ["ReadWriteOnce"], storageClassName: "" };
    await make("/api/v1/persistentvolumes", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name },
      spec: {
        ...bounds,
        capacity: { storage: "10Mi" },
        hostPath: { path },
        claimRef: { namespace: name, name: "data" },
      },
    });
    await make(scene.namespace.path("persistentvolumeclaims"), {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data" },
      spec: { ...bounds, volumeName: name, resources: { requests: { storage: "10Mi" } } },
    });
    expect(await waiting).toMatchObject({ outcome: "started", actions: [{ action: "create" }] });
    expect((await storedPod(scene)).spec.volumes).toEqual([
      { name: "workspace", persistentVolumeClaim: { claimName: "data" } },
    ]);
    expect(await scene.stop()).toMatchObject({ outcome: "stopped" });
    expect(await scene.start()).toMatchObject({ outcome: "started" });
    const runs = join(path, "runs");
    await until("it has written twice", () => existsSync(runs) && readFileSync(runs, "utf8") === "run\nrun\n");
  });
});
