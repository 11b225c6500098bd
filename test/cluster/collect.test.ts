// Which leftovers a start takes away on a cluster, and which it leaves alone: their age is the cluster's own matter, whatever our clock says.
import { randomBytes } from "node:crypto";
import type { Json, Marks } from "@moorage/core";
import { instanceMarks, moorageProfile, secretMarks } from "@moorage/core";
import type { TestContext } from "vitest";
import { describe, expect, test } from "vitest";
import type { ClockProxy } from "./clock-proxy.ts";
import { openClockProxy } from "./clock-proxy.ts";
import { identityOf } from "./kubernetes-agent.ts";
import type { Scene } from "./scene.ts";
import { openScene } from "./scene.ts";
import { thisCluster } from "./this-cluster.ts";
import type { Layout } from "./up/layout.ts";
import { until } from "./up/run.ts";

const { own, image } = thisCluster();
const minute = 60_000;
const day = 24 * 60 * minute;

/** An agent on a cluster whose clock a test sets, and what earlier attempts of it have left there. */
interface Place {
  readonly proxy: ClockProxy;
  readonly scene: Scene;
  marks(deadlineSeconds?: number): Marks;
  /** A Secret as an attempt leaves it behind; returns its name. */
  leave(name?: string, marked?: Marks): Promise<string>;
  leavePod(name: string, secret: string, marked: Marks, more?: Record<string, Json>): Promise<void>;
  /** Names of the Secrets that are there, without that of the present attempt. */
  left(): Promise<string[]>;
  startLater(later: ClockProxy["later"]): Promise<void>;
}

async function open({ onTestFinished }: TestContext): Promise<Place> {
  const proxy = await openClockProxy(own as Layout);
  onTestFinished(() => proxy.close());
  const scene = await openScene({ access: proxy.through });
  onTestFinished(() => scene.end());
  const { api, namespace, name: agent, identity } = scene;

  const make = async (resource: string, object: Record<string, Json>): Promise<void> => {
    expect(await api.send("POST", namespace.path(resource), { apiVersion: "v1", ...object })).toMatchObject({
      status: 201,
    });
  };
  const marks = (deadlineSeconds = 600): Marks => secretMarks(moorageProfile, identity, deadlineSeconds);
  return {
    proxy,
    scene,
    marks,
    async leave(name = `${agent}-${randomBytes(8).toString("hex")}`, { labels, annotations } = marks()) {
      const metadata = { name, labels, annotations };
      await make("secrets", { kind: "Secret", immutable: true, metadata, stringData: { API_KEY: "left" } });
      return name;
    },
    async leavePod(name, secret, { labels, annotations }, more = {}) {
      const envFrom = [{ secretRef: { name: secret } }];
      const containers = [{ name: "agent", image, command: ["/bin/sh", "-c", "exit 0"], envFrom }];
      const spec = { restartPolicy: "Never", automountServiceAccountToken: false, containers, ...more };
      await make("pods", { kind: "Pod", metadata: { name, labels, annotations }, spec });
    },
    async left() {
      const current = `${agent}-${(await scene.instance())?.attempt ?? ""}`;
      const { object } = await api.send("GET", namespace.path("secrets"));
      const names = (object as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
      expect(names).toContain(current);
      return names.filter((name) => name !== current);
    },
    async startLater(later) {
      proxy.later = later;
      expect(await scene.start()).toMatchObject({ outcome: "started" });
    },
  };
}

describe.skipIf(own === null)("leftovers on a cluster", () => {
  test.concurrent("an orphan goes twenty minutes after it was made, and not before, by the time of the list itself", async (context) => {
    const { proxy, scene, leave, left, startLater } = await open(context);
    const orphan = await leave();
    await startLater(19 * minute);
    expect(await left()).toEqual([orphan]);
    await scene.stop();
    await startLater(21 * minute);
    expect(await left()).toEqual([]);
    const deletion = proxy.asked.filter(({ method, path }) => method === "DELETE" && path.endsWith(orphan));
    expect(deletion).toHaveLength(1);
    expect(JSON.parse(deletion[0]?.body ?? "")).toMatchObject({
      preconditions: { uid: expect.stringMatching(/./), resourceVersion: expect.stringMatching(/./) },
    });
  });

  test.concurrent("Secrets are listed before the pods that may reference them", async (context) => {
    const { proxy, leave, startLater } = await open(context);
    const orphan = await leave();
    await startLater(21 * minute);
    const order = proxy.asked.map(
      ({ method, path }) => `${method} ${path.replace(/\?.*$/, "").split("/").slice(5).join("/")}`,
    );
    const deletion = order.indexOf(`DELETE secrets/${orphan}`);
    expect(deletion).toBeGreaterThan(0);
    expect(order.slice(0, deletion).lastIndexOf("GET pods")).toBeGreaterThan(order.indexOf("GET secrets"));
  });

  test.concurrent.for(["noDate", "noTime"] as const)(
    "an answer without a time (%s) is judged by nobody's clock",
    async (later, context) => {
      const { proxy, leave, left, startLater } = await open(context);
      // Our own clock would say that it is a day old.
      proxy.ahead = -day;
      const orphan = await leave();
      await startLater(later);
      expect(await left()).toEqual([orphan]);
    },
  );

  test.concurrent.for([
    ["ahead of", day],
    ["behind", -day],
  ] as const)("a cluster's clock that is a day %s ours changes nothing", async ([, ahead], context) => {
    const { proxy, scene, leave, left, startLater } = await open(context);
    proxy.ahead = ahead;
    const orphan = await leave();
    await startLater(0);
    expect(await left()).toEqual([orphan]);
    await scene.stop();
    await startLater(21 * minute);
    expect(await left()).toEqual([]);
  });

  test.concurrent("an attempt that had longer is given twice that", async (context) => {
    const { scene, marks, leave, left, startLater } = await open(context);
    const orphan = await leave(undefined, marks(3_600));
    await startLater(119 * minute);
    expect(await left()).toEqual([orphan]);
    await scene.stop();
    await startLater(121 * minute);
    expect(await left()).toEqual([]);
  });

  test.concurrent("what is not ours stays, however old, whatever it has of ours", async (context) => {
    const { scene, marks, leave, left, startLater } = await open(context);
    const { labels, annotations } = marks();
    const { "app.kubernetes.io/managed-by": _, ...unmanaged } = labels;
    const strange = { ...annotations, "moorage.dev/identity": identityOf("somebody else") };
    const foreign = [
      await leave(undefined, { labels: unmanaged, annotations }),
      await leave(undefined, { labels: { ...labels, "moorage.dev/binding-version": "2" }, annotations }),
      await leave(undefined, { labels, annotations: strange }),
      await leave(undefined, { labels, annotations: {} }),
      await leave("pull-secret"),
      await leave(`${scene.name}-notes`),
    ];
    await startLater(30 * day);
    expect((await left()).sort()).toEqual(foreign.sort());
  });

  test.concurrent("what a pod references stays, also when the pod is somebody else's and has not started", async (context) => {
    const { scene, marks, leave, leavePod, left, startLater } = await open(context);
    const secret = await leave();
    const { labels } = marks();
    await leavePod("copy", secret, { labels, annotations: {} }, { nodeSelector: { "moorage.test/none": "none" } });
    await startLater(30 * day);
    expect(await left()).toEqual([secret]);
    expect(await scene.api.send("GET", scene.namespace.path("pods", "copy"))).toMatchObject({ status: 200 });
  });

  test.concurrent("an ended pod of ours under another name goes, and with it the Secret that it alone needed", async (context) => {
    const { scene, leave, leavePod, left, startLater } = await open(context);
    const secret = await leave();
    await leavePod("older", secret, instanceMarks(moorageProfile, scene.identity, `m1:${"0".repeat(64)}`, {}), {});
    const older = scene.namespace.path("pods", "older");
    await until("it has ended", async () => {
      const { object } = await scene.api.send("GET", older);
      return (object as { status: { phase: string } }).status.phase === "Succeeded";
    });
    await startLater(0);
    expect(await scene.api.send("GET", older)).toMatchObject({ status: 404 });
    expect(await left()).toEqual([]);
  });
});
