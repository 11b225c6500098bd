// `networkPolicy: denyAll` on a real cluster: the policy that is stored, the pod that it selects, and a policy that somebody changed. The cluster of these tests has no network plugin that would enforce it.
import type { Json } from "@moorage/core";
import { afterEach, expect, test } from "vitest";
import type { Scene } from "./scene.ts";
import { openScene } from "./scene.ts";

let scene: Scene;

afterEach(() => scene.end());

const label = { "moorage.dev/network-policy": "deny-all" };
const policyPath = (name = ""): string =>
  `/apis/networking.k8s.io/v1/namespaces/${scene.namespace.name}/networkpolicies${name === "" ? "" : `/${name}`}`;

test("is stored before the pod is there, closes both ways, and is one object however often it is asked for", async () => {
  scene = await openScene({ declared: { networkPolicy: "denyAll" } });
  const [one, other] = await Promise.all([scene.start(), scene.start()]);
  expect([one.outcome, other.outcome].sort()).toEqual(["alreadyRunning", "started"]);
  const { object: policies } = await scene.api.send("GET", policyPath());
  expect(policies).toMatchObject({
    items: [
      {
        metadata: { name: "moorage-deny-all" },
        spec: { podSelector: { matchLabels: label }, policyTypes: ["Ingress", "Egress"] },
      },
    ],
  });
  const { spec, metadata } = (policies as { items: [{ spec: object; metadata: { creationTimestamp: string } }] })
    .items[0];
  expect(spec).not.toHaveProperty("ingress");
  expect(spec).not.toHaveProperty("egress");
  const { object: pod } = await scene.api.send("GET", scene.namespace.path("pods", scene.name));
  const made = (pod as { metadata: { labels: object; creationTimestamp: string } }).metadata;
  expect(made.labels).toMatchObject(label);
  expect(Date.parse(metadata.creationTimestamp)).toBeLessThanOrEqual(Date.parse(made.creationTimestamp));
  await scene.stop();
  expect(await scene.start()).toMatchObject({ outcome: "started" });
  expect((await scene.api.send("GET", policyPath())).object).toMatchObject({ items: [{ metadata }] });
});

test("that somebody has opened keeps an agent from starting, and the way out is told", async () => {
  scene = await openScene({ declared: { networkPolicy: "denyAll" } });
  const open: Json = {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "moorage-deny-all" },
    spec: { podSelector: { matchLabels: label }, policyTypes: ["Ingress", "Egress"], egress: [{}] },
  };
  expect(await scene.api.send("POST", policyPath(), open)).toMatchObject({ status: 201 });
  const refused = await scene.start();
  expect(refused).toMatchObject({ outcome: "refused", actions: [{ action: "create" }] });
  expect(refused.condition?.message).toContain(
    `kubectl --context ${scene.here.access().context} --namespace ${scene.namespace.name} delete networkpolicy moorage-deny-all`,
  );
  expect(await scene.instance()).toBeUndefined();
  expect(await scene.substrate.listSecrets(scene.identity)).toMatchObject({ secrets: [] });
  await scene.api.send("DELETE", policyPath("moorage-deny-all"));
  expect(await scene.start()).toMatchObject({ outcome: "started" });
});

test("is not made for whoever declares none", async () => {
  scene = await openScene();
  await scene.start();
  expect((await scene.api.send("GET", policyPath())).object).toMatchObject({ items: [] });
});
