// The rights that are shipped: they are enough for everything, and each that is taken away is noticed by its name.
import type { Json } from "@moorage/core";
import { instanceMarks, intentDigest, moorageProfile, secretMarks } from "@moorage/core";
import { awakeClock } from "@moorage/harness";
import { sha256, systemRandom } from "@moorage/keys";
import type { Check, Cluster, ClusterAccess, Right } from "@moorage/kubernetes";
import { openCluster, rightInWords, rights } from "@moorage/kubernetes";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Api } from "./api.ts";
import { apiOf } from "./api.ts";
import { templateOf } from "./kubernetes-agent.ts";
import type { Namespace } from "./namespace.ts";
import { ownNamespace } from "./namespace.ts";
import type { Scene, SceneOptions } from "./scene.ts";
import { openScene } from "./scene.ts";
import type { Somebody } from "./somebody.ts";
import { somebody } from "./somebody.ts";
import { thisCluster } from "./this-cluster.ts";
import { until } from "./up/run.ts";

const here = thisCluster();
const api: Api = apiOf(here);
const ends: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

afterAll(() => api.close());

function open(access: ClusterAccess): Cluster {
  return openCluster({ access, env: {}, clock: awakeClock(), random: systemRandom, now: () => Date.now() });
}

interface Stage {
  readonly scene: Scene;
  readonly who: Somebody;
  /** What people ask of the cluster, as the same somebody. */
  readonly cluster: Cluster;
}

/** A scene that somebody plays whose rights are given by `give`, and known to the API server. */
async function stage(
  give: (who: Somebody, namespace: string) => Promise<void>,
  options: SceneOptions = {},
): Promise<Stage> {
  const who = somebody(api);
  ends.push(() => who.end());
  const scene = await openScene({ ...options, access: who.access });
  ends.push(() => scene.end());
  await give(who, scene.namespace.name);
  const cluster = open(who.access({ ...here.access(), namespace: scene.namespace.name }));
  ends.push(() => cluster.close());
  return { scene, who, cluster };
}

const wrong = (checks: readonly Check[]): string[] =>
  checks.filter(({ state }) => state === "problem" || state === "warning").map(({ message }) => message);

/** RBAC is known to the API server a moment after it is made. */
async function untilAllIsWell(cluster: Cluster): Promise<readonly Check[]> {
  let checks: readonly Check[] = [];
  await until("the rights are known", async () => {
    checks = await cluster.check();
    return wrong(checks).length === 0;
  });
  return checks;
}

describe("with the rights of the manifest", () => {
  const speaking = { command: ["/bin/sh", "-c", "echo begun; trap 'exit 0' TERM; sleep 100000 & wait"] };

  /** A life of an agent: every kind of request that the loops make of the cluster. */
  async function live({ scene, cluster }: Stage): Promise<void> {
    const both = await Promise.all([scene.start(), scene.start()]);
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(["alreadyRunning", "started"]);
    expect(await scene.start()).toMatchObject({ outcome: "alreadyRunning", requests: 1 });
    expect(await scene.substrate.listSecrets(scene.identity)).toMatchObject({ kind: "read", secrets: [{}] });
    const lines: string[] = [];
    await until("it has spoken", async () => {
      for await (const event of cluster.podLog({ pod: scene.name }))
        if (event.kind === "line") lines.push(event.bytes.toString());
      return lines.includes("begun");
    });
    expect(await cluster.facts()).toMatchObject([{ name: scene.name, phase: "Running" }]);
    expect(await cluster.facts([scene.name])).toMatchObject([{ name: scene.name }]);
    expect(await cluster.inventory.readScope()).toMatchObject({ kind: "read", instances: [{ name: scene.name }] });
    expect(await scene.stop()).toMatchObject({ outcome: "stopped" });
    expect(await scene.substrate.listSecrets(scene.identity)).toMatchObject({ kind: "read", secrets: [] });
    expect(scene.told.filter(({ step }) => step === "warn")).toEqual([]);
  }

  test("those that are needed are enough, and doctor names what is missing beyond them", async () => {
    const made = await stage((who, namespace) => who.apply("rbac.yaml", namespace, /optional/), { declared: speaking });
    const checks = await untilAllIsWell(made.cluster);
    await live(made);
    const noted = checks
      .filter(({ name, state }) => name === "rights" && state === "note")
      .map(({ message }) => message);
    const optional = rights.filter(({ level }) => level === "optional");
    expect(noted).toHaveLength(optional.length);
    for (const [at, right] of optional.entries()) expect(noted[at]).toContain(`not allowed to ${rightInWords(right)} `);
  });

  test("with the optional ones too there is nothing left to say", async () => {
    const made = await stage(
      async (who, namespace) => {
        await who.apply("rbac.yaml", namespace);
        await who.apply("rbac-cluster.yaml", namespace);
      },
      { declared: { ...speaking, networkPolicy: "denyAll" } },
    );
    const checks = await untilAllIsWell(made.cluster);
    expect(checks.filter(({ name }) => name === "rights")).toHaveLength(1);
    expect(checks.find(({ name }) => name === "namespace")?.message).toContain(`${made.scene.namespace.name} is there`);
    expect(checks.find(({ name }) => name === "user")?.message).toContain(`acting as ${made.who.user}`);
    await live(made);
    expect((await made.cluster.events({ name: made.scene.name })).length).toBeGreaterThan(0);
  });

  test("an agent that ended makes way for a new start, its Secret with it, and leftovers are collected", async () => {
    const { scene, cluster } = await stage((who, namespace) => who.apply("rbac.yaml", namespace, /optional/));
    await untilAllIsWell(cluster);
    await plantLeftover(scene);
    await scene.start({ behaviour: "endsAtOnce", settleMs: 0 });
    await scene.untilContainer("it has ended", ({ state }) => state === "terminated");
    expect(await scene.start()).toMatchObject({
      outcome: "started",
      actions: [{ action: "delete" }, { action: "create" }],
    });
    await until("the leftover is gone", async () => {
      return (await scene.substrate.readName(`${scene.name}-old`)).kind === "absent";
    });
    // The leftover's Secret may have been in use for as long as its pod was on its way out: then its age takes it.
    const left = await scene.substrate.listSecrets(scene.identity);
    const names = left.kind === "read" ? left.secrets.map(({ name }) => name) : [];
    expect(names.filter((name) => name !== `${scene.name}-0123456789abcdef`)).toHaveLength(1);
    expect(scene.told.filter(({ step }) => step === "warn")).toEqual([]);
  });
});

describe("doctor, with one right taken away", () => {
  let namespace: Namespace;
  const people = new Map<Right, Somebody>();

  beforeAll(async () => {
    namespace = await ownNamespace(api);
    for (const right of rights) {
      const who = somebody(api);
      people.set(right, who);
      await who.may(
        namespace.name,
        rights.filter((one) => one !== right),
      );
    }
  });

  afterAll(async () => {
    for (const who of people.values()) await who.end();
    await namespace.remove();
  });

  test.each(rights.map((right) => [rightInWords(right), right] as const))("%s: names it", async (words, right) => {
    const who = people.get(right) ?? expect.fail("nobody");
    const cluster = open(who.access({ ...here.access(), namespace: namespace.name }));
    ends.push(() => cluster.close());
    let told: Check[] = [];
    await until("all other rights are known", async () => {
      told = (await cluster.check()).filter(({ name, state }) => name === "rights" && state !== "ok");
      return told.length <= 1;
    });
    expect(told).toMatchObject([
      {
        state: right.level === "needed" ? "problem" : "note",
        message: expect.stringContaining(`not allowed to ${words} in the ${right.reach}`),
        hint: expect.stringContaining(`\`${right.commands[0]}\``),
      },
    ]);
  });
});

describe("whoever uses it, with one right taken away", () => {
  /** What was told, whichever way. */
  type Use = (stage: Stage) => Promise<string>;

  const starts: Use = async ({ scene }) => (await scene.start()).condition?.message ?? "";
  const startsAll: Use = async ({ scene }) => {
    expect(await scene.start()).toMatchObject({ outcome: "started" });
    return warnings(scene);
  };
  const warnings = (scene: Scene): string =>
    scene.told
      .filter(({ step }) => step === "warn")
      .map(({ message }) => message)
      .join("\n");
  const asks = async (ask: Promise<unknown>): Promise<string> =>
    ask.then(
      () => "nothing",
      (fault: unknown) => (fault as Error).message,
    );

  const uses: readonly (readonly [right: string, use: Use, options?: SceneOptions])[] = [
    ["list pods", starts],
    ["watch pods", startsAll],
    [
      "get pods",
      async (made) => {
        await plantForeign(made.scene);
        return starts(made);
      },
    ],
    [
      "create pods",
      async (made) => {
        const told = await starts(made);
        expect(await made.scene.substrate.listSecrets(made.scene.identity)).toMatchObject({ secrets: [] });
        return told;
      },
    ],
    [
      "delete pods",
      async ({ scene }) => {
        expect(await scene.start()).toMatchObject({ outcome: "started" });
        return (await scene.stop()).condition?.message ?? "";
      },
    ],
    ["list secrets", startsAll],
    [
      "get secrets",
      async ({ scene }) => {
        await plantWithoutSecret(scene);
        await until("it misses its Secret", async () => {
          const evidence = (await scene.instance())?.evidence;
          return JSON.stringify(evidence).includes("secretMissing");
        });
        expect(await scene.start({ deadlineMs: 2_000 })).toMatchObject({ outcome: "notConfirmed" });
        return warnings(scene);
      },
    ],
    ["create secrets", starts],
    [
      "delete secrets",
      async ({ scene }) => {
        await scene.start();
        expect(await scene.stop()).toMatchObject({ outcome: "stopped" });
        return warnings(scene);
      },
    ],
    [
      "get pods/log",
      async ({ scene, cluster }) => {
        await scene.start();
        return asks(drained(cluster.podLog({ pod: scene.name })));
      },
    ],
    ["list events", ({ cluster }) => asks(cluster.events())],
    ["watch events", ({ cluster }) => asks(drained(cluster.followEvents(AbortSignal.timeout(20_000))))],
    ["get networkpolicies.networking.k8s.io", starts, { declared: { networkPolicy: "denyAll" } }],
    ["create networkpolicies.networking.k8s.io", starts, { declared: { networkPolicy: "denyAll" } }],
  ];

  test.each(uses.map(([words, use, options = {}]) => [words, use, options] as const))(
    "%s: is told so",
    async (words, use, options) => {
      const missing = rights.find((right) => rightInWords(right) === words) ?? expect.fail("no such right");
      const others = rights.filter((right) => right !== missing);
      const made = await stage((who, namespace) => who.may(namespace, others), options);
      await until("the rights are known", async () => {
        const told = (await made.cluster.check()).filter(({ name, state }) => name === "rights" && state !== "ok");
        return told.length === 1;
      });
      const { verb, resource, subresource } = missing;
      const told = await use(made);
      expect(told).toContain(`not allowed to ${verb} ${resource}${subresource === null ? "" : `/${subresource}`}`);
    },
  );

  test("create namespaces: is told the command that makes it", async () => {
    const others = rights.filter(({ verb, resource }) => !(verb === "create" && resource === "namespaces"));
    const { scene, cluster } = await stage((who) => who.mayEverywhere(others), { namespaceMade: false });
    const absent = { name: "namespace", state: "problem" };
    const command = new RegExp(`^run \`kubectl .*create namespace ${scene.namespace.name}\`$`);
    await until("the rights are known", async () => {
      const told = (await cluster.check()).filter(({ name, state }) => name === "rights" && state !== "ok");
      return told.length === 1;
    });
    expect(await cluster.check()).toContainEqual(
      expect.objectContaining({ ...absent, hint: expect.stringMatching(command) }),
    );
    expect(await scene.start()).toMatchObject({
      outcome: "refused",
      condition: { code: "scopeAbsent", hint: expect.stringMatching(command) },
    });
  });
});

async function drained(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

/** An ended instance of ours under another name, with its Secret: what a start collects. */
async function plantLeftover(scene: Scene): Promise<void> {
  const admin = open({ ...here.access(), namespace: scene.namespace.name });
  ends.push(() => admin.close());
  const template = templateOf(here.image, { behaviour: "endsAtOnce" });
  const [name, secret] = [`${scene.name}-old`, `${scene.name}-0123456789abcdef`];
  const marks = secretMarks(moorageProfile, scene.identity, 600);
  expect(await admin.substrate.createSecret({ name: secret, data: new Map(), ...marks })).toMatchObject({
    kind: "created",
  });
  const shown = instanceMarks(moorageProfile, scene.identity, intentDigest(template, sha256), {});
  expect(await admin.substrate.createInstance({ name, secret, template, ...shown })).toEqual({ kind: "created" });
  await until("the leftover has ended", async () => {
    const found = await admin.substrate.readName(name);
    return found.kind === "found" && found.instance.evidence.container.state === "terminated";
  });
}

/** A pod of somebody else's that has our name. */
async function plantForeign(scene: Scene): Promise<void> {
  const spec = { containers: [{ name: "other", image: here.image }], nodeSelector: { nowhere: "yes" } };
  const body: Json = { apiVersion: "v1", kind: "Pod", metadata: { name: scene.name }, spec };
  expect(await scene.api.send("POST", scene.namespace.path("pods"), body)).toMatchObject({ status: 201 });
}

/** An instance of ours whose Secret is not there, with the very intent that a start has. */
async function plantWithoutSecret(scene: Scene): Promise<void> {
  const admin = open({ ...here.access(), namespace: scene.namespace.name });
  ends.push(() => admin.close());
  const template = templateOf(here.image, {});
  const marks = instanceMarks(moorageProfile, scene.identity, intentDigest(template, sha256), { name: scene.agent });
  const spec = { name: scene.name, secret: `${scene.name}-0123456789abcdef`, template, ...marks };
  expect(await admin.substrate.createInstance(spec)).toEqual({ kind: "created" });
}
