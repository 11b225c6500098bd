// What people ask of agents on a cluster: facts, Events, output, why one waits, less grace, and what has changed.
import type { Json } from "@moorage/core";
import type { ClusterEvent } from "@moorage/kubernetes";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PeopleScene } from "./people-scene.ts";
import { nameOf, openPeopleScene, patience } from "./people-scene.ts";
import { patienceMs } from "./scene.ts";
import { thisCluster } from "./this-cluster.ts";
import { until } from "./up/run.ts";

/** Null: it is somebody else's cluster, which has no user without rights. */
const { own } = thisCluster();
let scene: PeopleScene;
const ends: (() => void | Promise<void>)[] = [];

beforeEach(async () => {
  scene = await openPeopleScene();
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await scene.end();
});

const runs = "trap 'exit 0' TERM; sleep 100000 & wait";

function signal(): ReturnType<typeof patience>["signal"] {
  const patient = patience();
  ends.push(() => patient.end());
  return patient.signal;
}

/** A pod that is none of ours. */
function bystander(): Json {
  const containers = [{ name: "x", image: scene.here.image, command: ["/bin/sh", "-c", runs] }];
  const spec = { terminationGracePeriodSeconds: 1, containers };
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "another" }, spec };
}

/** Waits until the cluster says this of the pod. */
async function untilWhy(name: string, code: string, message: RegExp, hint: RegExp): Promise<void> {
  let last: unknown = null;
  const holds = async (): Promise<boolean> => {
    const told = await scene.cluster.whyWaiting(name);
    last = told;
    return told !== null && told.code === code && message.test(told.message) && hint.test(told.hint);
  };
  await until(`it is ${code}`, holds, 60_000).catch((error: unknown) => {
    throw new Error(`${String(error)}; at last: ${JSON.stringify(last)}`);
  });
}

describe("why a start waits", () => {
  test("no node has that much CPU", async () => {
    const resources = { requests: { cpu: "1000", memory: "16Mi" } };
    const name = await scene.plant("scribe", runs, { resources });
    await untilWhy(
      name,
      "unschedulable",
      /too little CPU free.*it asks for cpu 1k?/,
      /moorage deploy scribe.*describe nodes/,
    );
  });

  test("no node has such a label", async () => {
    const name = await scene.plant("scribe", runs, {}, { nodeSelector: { "moorage.test/none": "yes" } });
    await untilWhy(name, "unschedulable", /not match the node selector/, /moorage\.test\/none=yes/);
  });

  test("the claim of its workspace is not there, and then has no volume", async () => {
    const volumes = [{ name: "workspace", persistentVolumeClaim: { claimName: "scribe-data" } }];
    const name = await scene.plant("scribe", runs, {}, { volumes });
    const { namespace, api } = scene;
    await untilWhy(name, "claimMissing", /the claim scribe-data/, new RegExp(`--namespace ${namespace.name} get`));
    const claim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "scribe-data" },
      spec: {
        storageClassName: "moorage-test-none",
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Mi" } },
      },
    };
    expect((await api.send("POST", namespace.path("persistentvolumeclaims"), claim)).status).toBe(201);
    await untilWhy(
      name,
      "claimPending",
      /storage class moorage-test-none does not exist/,
      /describe persistentvolumeclaim scribe-data/,
    );
  });

  test("a Secret that a volume needs is not there", async () => {
    const volumes = [{ name: "x", secret: { secretName: "nope" } }];
    const name = await scene.plant("scribe", runs, { volumeMounts: [{ name: "x", mountPath: "/x" }] }, { volumes });
    await untilWhy(name, "volumeSourceMissing", /the Secret nope, which is not there, since 20/, /get secrets/);
  });

  test("its node has no such runtime", async () => {
    const { api, namespace } = scene;
    const runtime = {
      apiVersion: "node.k8s.io/v1",
      kind: "RuntimeClass",
      metadata: { name: namespace.name },
      handler: "none",
    };
    expect((await api.send("POST", "/apis/node.k8s.io/v1/runtimeclasses", runtime)).status).toBe(201);
    ends.push(async () => void (await api.send("DELETE", `/apis/node.k8s.io/v1/runtimeclasses/${namespace.name}`)));
    const name = await scene.plant("scribe", runs, {}, { runtimeClassName: namespace.name });
    await untilWhy(name, "sandboxFails", /does not have the runtime/, /runtimeClass/);
  });

  test("the registry refuses the connection; a digest that does not exist", async () => {
    const refused = await scene.plant("refused", runs, { image: "127.0.0.1:1/nowhere:1" });
    const image = scene.here.image.replace(/@sha256:.*$/, `@sha256:${"0".repeat(64)}`);
    const unknown = await scene.plant("unknown", runs, { image });
    await untilWhy(refused, "imagePull", /connection is refused \(127\.0\.0\.1:1\/nowhere:1, since 20/, /by itself/);
    await untilWhy(unknown, "manifestUnknown", /does not exist/, /moorage stop unknown/);
  });

  test("a registry that does not answer: its node pulls, since when", async () => {
    // TEST-NET-1: packets to it go nowhere.
    const name = await scene.plant("scribe", runs, { image: "192.0.2.1/slow:1" });
    await untilWhy(name, "imagePulling", /pulls the image 192\.0\.2\.1\/slow:1 since 20/, /moorage deploy scribe/);
  });

  test("nothing of a running one, and of none", async () => {
    const name = await scene.plant("scribe", runs);
    await scene.untilState(name, "running");
    expect(await scene.cluster.whyWaiting(name)).toBeNull();
    expect(await scene.cluster.whyWaiting(nameOf("nobody"))).toBeNull();
  });
});

describe("facts and Events", () => {
  test("of a pod that runs", async () => {
    const name = await scene.plant("scribe", runs);
    await scene.untilState(name, "running");
    const [facts, ...others] = await scene.cluster.facts();
    expect(others).toEqual([]);
    expect(facts).toMatchObject({
      name,
      image: scene.here.image,
      graceMs: 1_000,
      restarts: 0,
      phase: "Running",
      harness: false,
    });
    expect(facts).toMatchObject({
      workspaceClaim: null,
      cpuMs: null,
      node: expect.any(String),
      podIp: expect.stringMatching(/\d+\.\d+/),
    });
    expect(facts?.imageId).toContain("sha256:");
    expect(Math.abs(Date.parse(facts?.createdAt ?? "") - Date.now())).toBeLessThan(patienceMs);
    expect(await scene.cluster.facts([name])).toMatchObject([{ uid: facts?.uid }]);
    expect(await scene.cluster.facts([nameOf("nobody")])).toEqual([]);
  });

  test("Events come in their order, also those that come later, and no others", async () => {
    const name = await scene.plant("scribe", runs);
    await scene.untilState(name, "running");
    const reasons = (events: readonly ClusterEvent[]): string[] =>
      events.map(({ reason }) => reason).filter((reason) => ["Scheduled", "Created", "Started"].includes(reason));
    await until("all is told", async () => reasons(await scene.cluster.events({ name })).length === 3);
    expect(reasons(await scene.cluster.events({ name }))).toEqual(["Scheduled", "Created", "Started"]);
    await scene.api.send("POST", scene.namespace.path("pods"), bystander());
    const later = await scene.plant("later", runs);
    const heard: string[] = [];
    for await (const { object, reason } of scene.cluster.followEvents(signal())) {
      heard.push(object);
      if (object === later && reason === "Started") break;
    }
    expect(new Set(heard)).toEqual(new Set([later]));
    expect(new Set((await scene.cluster.events()).map(({ object }) => object))).toEqual(new Set([name, later]));
  });

  test.skipIf(own === null)("somebody without the right is told which one", async () => {
    const nobody = scene.asNobody();
    expect(await nobody.whyWaiting(nameOf("scribe"))).toBeNull();
    const right = (words: RegExp): object => ({ code: "forbidden", message: expect.stringMatching(words) });
    await expect(nobody.events()).rejects.toMatchObject(right(/list events/));
    await expect(nobody.followEvents(signal())[Symbol.asyncIterator]().next()).rejects.toMatchObject(
      right(/list events/),
    );
    await expect(nobody.facts()).rejects.toMatchObject(right(/list pods/));
    await expect(
      nobody
        .podLog({ pod: nameOf("scribe") })
        [Symbol.asyncIterator]()
        .next(),
    ).rejects.toMatchObject(right(/get pods\/log/));
  });
});

describe("output", () => {
  test("long lines and bytes that are no text come as they were written", async () => {
    const long = 100_000;
    const script = `printf 'a\\377\\376z\\n'; busybox dd if=/dev/zero bs=${long} count=1 2>/dev/null | busybox tr '\\0' x; echo; echo; printf end`;
    const name = await scene.plant("scribe", script);
    await scene.untilState(name, "terminated");
    const told = await scene.output({ pod: name });
    expect(told.map((text) => text.slice(0, 8))).toEqual([
      "a\xff\xfez",
      "xxxxxxxx",
      "",
      expect.stringMatching(/^end…?$/),
    ]);
    expect(told[1]).toBe("x".repeat(long));
    const patient = signal();
    expect((await scene.output({ pod: name, follow: patient })).filter((text) => text !== "<caughtUp>")).toEqual(told);
    expect(patient.aborted).toBe(false);
    expect(await scene.output({ pod: name, tail: 1 })).toEqual(told.slice(-1));
    expect(await scene.output({ pod: name, since: Date.now() + 3_600_000 })).toEqual([]);
  });

  test("a follow waits for the start, survives a line that is cut again and again, and ends with the container", async () => {
    const count = 400;
    const script = `i=0; while [ $i -lt ${count} ]; do echo line $i; echo err $i >&2; i=$((i+1)); sleep 0.02; done`;
    const name = await scene.plant("scribe", script);
    const told: string[] = [];
    const patient = signal();
    for await (const event of scene.cluster.podLog({ pod: name, follow: patient })) {
      if (event.kind !== "line") {
        told.push(`<${event.kind}>`);
        continue;
      }
      const text = event.bytes.toString();
      told.push(text);
      // As soon as more is under way than was read.
      if (/^line \d*50$/.test(text)) scene.line.cut();
    }
    expect(patient.aborted).toBe(false);
    const numbers = Array.from({ length: count }, (_, index) => index);
    expect(told.filter((text) => text.startsWith("line "))).toEqual(numbers.map((number) => `line ${number}`));
    expect(told.filter((text) => text.startsWith("err "))).toEqual(numbers.map((number) => `err ${number}`));
    expect(told.filter((text) => text.startsWith("<"))).toEqual(["<caughtUp>"]);
    expect(scene.line.connections()).toBeGreaterThan(4);
  });

  test("what there is none of is told in words", async () => {
    const waits = await scene.plant("waits", runs, {}, { nodeSelector: { "moorage.test/none": "yes" } });
    await expect(scene.output({ pod: waits })).rejects.toMatchObject({
      code: "logNotStarted",
      message: expect.stringContaining("waits has not started"),
    });
    const pulls = await scene.plant("pulls", runs, { image: "127.0.0.1:1/nowhere:1" });
    await untilWhy(pulls, "imagePull", /./, /./);
    await expect(scene.output({ pod: pulls })).rejects.toMatchObject({ code: "logNotStarted" });
    await expect(scene.output({ pod: nameOf("nobody"), follow: signal() })).rejects.toMatchObject({
      code: "logPodGone",
    });
    await expect(scene.output({ pod: nameOf("nobody") })).rejects.toMatchObject({ code: "logPodGone" });
    const name = await scene.plant("scribe", runs);
    await scene.untilState(name, "running");
    await expect(scene.output({ pod: name, previous: true })).rejects.toMatchObject({ code: "logNoPrevious" });
    await expect(scene.output({ pod: name, container: "other" })).rejects.toMatchObject({
      code: "logContainerUnknown",
    });
  });

  test("a follow ends when its pod is removed", async () => {
    const name = await scene.plant(
      "scribe",
      "trap 'echo ending; exit 0' TERM; echo begun; while :; do sleep 0.1; done",
      {},
      { terminationGracePeriodSeconds: 30 },
    );
    await scene.untilState(name, "running");
    const told: string[] = [];
    const patient = signal();
    for await (const event of scene.cluster.podLog({ pod: name, follow: patient })) {
      if (event.kind === "line") told.push(event.bytes.toString());
      else if (event.kind === "caughtUp") await scene.api.send("DELETE", scene.namespace.path("pods", name));
    }
    expect(told).toEqual(["begun", "ending"]);
    expect(patient.aborted).toBe(false);
  });
});

describe("a person's haste", () => {
  const deaf = "trap '' TERM; while :; do sleep 1; done";
  const grace = { terminationGracePeriodSeconds: 3_600 };

  async function fenceOf(name: string) {
    const read = await scene.cluster.substrate.readName(name);
    if (read.kind !== "found") throw new Error(`${name} is ${read.kind}`);
    return read.instance.fence;
  }

  const gone = (name: string): Promise<void> =>
    until("it is gone", async () => (await scene.cluster.substrate.readName(name)).kind === "absent", patienceMs);

  test("before the stop: the delete gives it that long", async () => {
    const name = await scene.plant("scribe", deaf, {}, grace);
    await scene.untilState(name, "running");
    await scene.cluster.setStopGrace(name, 1_000);
    expect(await scene.cluster.substrate.deleteInstance(name, await fenceOf(name))).toEqual({ kind: "accepted" });
    await gone(name);
  });

  test("in the middle of one: the pod has a second on record, and never none", async () => {
    const name = await scene.plant("scribe", deaf, {}, grace);
    await scene.untilState(name, "running");
    await scene.cluster.substrate.deleteInstance(name, await fenceOf(name));
    const graceOnRecord = async (): Promise<unknown> => {
      const { object } = await scene.api.send("GET", scene.namespace.path("pods", name));
      return (object as { metadata: { deletionGracePeriodSeconds?: number } }).metadata.deletionGracePeriodSeconds;
    };
    expect(await graceOnRecord()).toBe(3_600);
    await scene.cluster.setStopGrace(name, 10);
    // Whether the node heeds it is the kubelet's affair: none up to 1.35 does.
    expect(await graceOnRecord()).toBe(1);
  });
});

test("a change of any pod of ours is told, and of no other", async () => {
  const { cluster, api, namespace } = scene;
  await cluster.inventory.readScope();
  const patient = signal();
  let told = false;
  const first = cluster.changed(patienceMs, patient).then(() => {
    told = true;
  });
  await api.send("POST", namespace.path("pods"), bystander());
  await until("another pod runs", async () => {
    const { object } = await api.send("GET", namespace.path("pods", "another"));
    return (object as { status?: { phase?: string } }).status?.phase === "Running";
  });
  expect(told).toBe(false);
  const name = await scene.plant("scribe", runs);
  await first;
  const runsNow = async (): Promise<boolean> => {
    const read = await cluster.substrate.readName(name);
    return read.kind === "found" && read.instance.evidence.container.state === "running";
  };
  while (!(await runsNow()) && !patient.aborted) await cluster.changed(patienceMs, patient);
  expect(patient.aborted).toBe(false);
});
