// Who else has a say in what is created: webhooks that deny, change, dawdle or fail, policies, limits and quotas of the namespace.
import type { Json } from "@moorage/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { thisCluster } from "../this-cluster.ts";
import { adminRequest } from "../up/admin.ts";
import { until } from "../up/run.ts";
import { afterFault } from "./after-fault.ts";
import type { FaultScene } from "./fault-scene.ts";
import { openFaultScene } from "./fault-scene.ts";
import type { Ruling, Webhook } from "./webhook.ts";
import { idlePod, openWebhook } from "./webhook.ts";

const { own } = thisCluster();

describe.skipIf(own === null)("on our own cluster", () => {
  const heal: (() => void | Promise<void>)[] = [];
  let scene: FaultScene;

  beforeEach(async () => {
    scene = await openFaultScene();
  });

  afterEach(async () => {
    for (const mend of heal.splice(0).reverse()) await mend();
    await scene.end();
  });

  async function gate(ruling: Ruling): Promise<Webhook> {
    const webhook = await openWebhook(scene);
    heal.push(() => webhook.close());
    webhook.rule(ruling);
    return webhook;
  }

  test.each([
    ["with its reason", "no agents on Mondays", "no agents on Mondays"],
    ["without a reason", null, "gives no reason"],
    ["in the words of a quota", "exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1", "exceeded"],
  ])("a webhook that denies %s is named, the start ends at once and leaves nothing", async (_how, deny, told) => {
    const { name } = await gate({ deny });
    const outcome = await scene.start();
    expect(outcome).toMatchObject({ outcome: "refused", condition: { code: "admissionDenied" } });
    expect(outcome.condition?.message).toContain(name);
    expect(outcome.condition?.message).toContain(told);
    await afterFault(scene, { alive: 0, asked: scene.proxy.requests });
  });

  const sideCar = { name: "side-car", command: ["/bin/sh", "-c", "trap 'exit 0' TERM; sleep 100000 & wait"] };
  test.each<readonly [string, readonly Json[]]>([
    ["a side-car", [{ op: "add", path: "/spec/containers/0", value: sideCar }]],
    ["labels and annotations", [{ op: "add", path: "/metadata/labels/team", value: "blue" }]],
    ["a tolerant grace", [{ op: "replace", path: "/spec/terminationGracePeriodSeconds", value: 3 }]],
  ])("a webhook adds %s: it is started, current, ours, and stopped like any other", async (_what, patch) => {
    const image = scene.here.image;
    await gate({
      patch: JSON.parse(JSON.stringify(patch).replace('"command"', `"image":"${image}","command"`)) as Json[],
    });
    expect(await scene.start()).toMatchObject({ outcome: "started", intent: "current" });
    await afterFault(scene, { alive: 1, asked: scene.proxy.requests });
    expect(await scene.start()).toMatchObject({ outcome: "alreadyRunning", intent: "current", requests: 1 });
    expect(await scene.stop()).toMatchObject({ outcome: "stopped" });
    await afterFault(scene, { alive: 0, asked: scene.proxy.requests });
  });

  test("a webhook puts another image in: what runs is what was admitted, and the intent stays what was declared", async () => {
    const other = scene.here.image.replace("/agent@", "/agent:1@");
    await gate({ patch: [{ op: "replace", path: "/spec/containers/0/image", value: other }] });
    expect(await scene.start()).toMatchObject({ outcome: "started", intent: "current" });
    expect(await scene.start()).toMatchObject({ outcome: "alreadyRunning", intent: "current" });
    await afterFault(scene, { alive: 1, asked: scene.proxy.requests });
  });

  test("a webhook takes our marks off: it is never touched, and nothing is created beside it", async () => {
    await gate({ patch: [{ op: "remove", path: "/metadata/annotations/moorage.dev~1identity" }] });
    expect(await scene.start()).toMatchObject({ outcome: expect.stringMatching(/worldMoved|refused/) });
    expect(await scene.start()).toMatchObject({ outcome: "refused", condition: { code: "foreignObject" } });
    await until("the foreign pod runs", async () => (await scene.alive()) === 1);
  });

  test("a webhook that answers slowly delays a start and changes nothing else", async () => {
    await gate({ afterMs: 600 });
    expect(await scene.start()).toMatchObject({ outcome: "started", intent: "current" });
    await afterFault(scene, { alive: 1, asked: scene.proxy.requests });
  });

  test("a webhook that does not answer in time is a no: the start says which one it waits for, and goes on when it answers", async () => {
    const webhook = await gate({ afterMs: 60_000 });
    expect(await scene.start({ deadlineMs: 4_000 })).toMatchObject({
      outcome: "notConfirmed",
      condition: { message: expect.stringContaining(webhook.name) },
    });
    const from = scene.told.length;
    const starting = scene.start();
    await scene.untilTold("unreachable", from);
    webhook.rule(null);
    expect(await starting).toMatchObject({ outcome: "started" });
    // The first call could not know whether its create would still take effect.
    await afterFault(scene, { alive: 1, orphans: 1, asked: scene.proxy.requests });
  });

  test("an admission policy that denies is named", async () => {
    const policies = "/apis/admissionregistration.k8s.io/v1";
    const name = scene.namespace.name;
    const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }];
    heal.push(async () => {
      await scene.api.send("DELETE", `${policies}/validatingadmissionpolicybindings/${name}`);
      await scene.api.send("DELETE", `${policies}/validatingadmissionpolicies/${name}`);
    });
    await scene.api.send("POST", `${policies}/validatingadmissionpolicies`, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: { resourceRules: rules },
        validations: [{ expression: "false", message: "agents have to be blue" }],
      },
    });
    await scene.api.send("POST", `${policies}/validatingadmissionpolicybindings`, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: {
        policyName: name,
        validationActions: ["Deny"],
        matchResources: { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } },
      },
    });
    const pods = `${scene.namespace.path("pods")}?dryRun=All`;
    const probe = idlePod("probe", scene.here.image);
    await until("the policy holds", async () => (await scene.api.send("POST", pods, probe)).status === 422);
    const outcome = await scene.start();
    expect(outcome).toMatchObject({ outcome: "refused", condition: { code: "admissionDenied" } });
    expect(outcome.condition?.message).toContain(name);
    expect(outcome.condition?.message).toContain("agents have to be blue");
    await afterFault(scene, { alive: 0, asked: scene.proxy.requests });
  });

  test("a limit range that the agent does not fit is told with its number", async () => {
    await scene.api.send("POST", scene.namespace.path("limitranges"), {
      apiVersion: "v1",
      kind: "LimitRange",
      metadata: { name: "small" },
      spec: { limits: [{ type: "Container", max: { memory: "32Mi" } }] },
    });
    const outcome = await scene.start();
    expect(outcome).toMatchObject({ outcome: "refused", condition: { code: "admissionDenied" } });
    expect(outcome.condition?.message).toMatch(/limit range.*32Mi/);
    await afterFault(scene, { alive: 0, asked: scene.proxy.requests });
  });

  const quotaOf = (pods: number): Json => ({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "small" },
    spec: { hard: { pods: String(pods) } },
  });

  /** A quota that the controller has counted. */
  async function limitPods(pods: number): Promise<void> {
    await scene.api.send("POST", scene.namespace.path("resourcequotas"), quotaOf(pods));
    await until("the quota is counted", async () => {
      const { object } = await scene.api.send("GET", scene.namespace.path("resourcequotas", "small"));
      return (object as { status?: { hard?: { pods?: string } } }).status?.hard?.pods === String(pods);
    });
  }

  test("a quota that is used up is named and waited for; raised, the start goes on", async () => {
    await limitPods(1);
    await scene.api.send("POST", scene.namespace.path("pods"), idlePod("filler", scene.here.image));
    const starting = scene.start();
    await scene.untilTold("quotaExceeded");
    expect(scene.told.find(({ code }) => code === "quotaExceeded")?.message).toContain("small");
    await adminRequest(scene.layout, "PATCH", scene.namespace.path("resourcequotas", "small"), {
      spec: { hard: { pods: "2" } },
    });
    expect(await starting).toMatchObject({ outcome: "started" });
    await afterFault(scene, { alive: 1, asked: scene.proxy.requests });
  });

  test("a quota answers before the name does: a start that lost the race sees the winner, and does not wait for the quota", async () => {
    await limitPods(1);
    let winner: Awaited<ReturnType<FaultScene["start"]>> | null = null;
    const wait = async (): Promise<void> => {
      scene.proxy.decide(() => ({ kind: "pass" }));
      winner = await scene.start();
    };
    // The loser has looked, and its create is on the way, when the winner comes.
    scene.proxy.decide(({ method, path }) =>
      method === "POST" && path.endsWith("/pods") ? { kind: "after", wait } : { kind: "pass" },
    );
    const loser = await scene.start({ deadlineMs: 30_000 });
    expect(winner).toMatchObject({ outcome: "started" });
    expect(loser).toMatchObject({ outcome: "alreadyRunning", intent: "current" });
    await afterFault(scene, { alive: 1, asked: scene.proxy.requests });
  });
});
