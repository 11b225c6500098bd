// The namespace and the way to it: being deleted, not there and not ours to make, one of two clusters, and credentials that are over.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@moorage/core";
import type { ClusterAccess } from "@moorage/kubernetes";
import { findAccess, rights } from "@moorage/kubernetes";
import { afterEach, describe, expect, test } from "vitest";
import { apiOf } from "../api.ts";
import { makeToken } from "../made-credentials.ts";
import { patienceMs } from "../scene.ts";
import { somebody } from "../somebody.ts";
import { thisCluster, transportFor } from "../this-cluster.ts";
import { adminRequest } from "../up/admin.ts";
import { pkiPaths } from "../up/pki.ts";
import { until } from "../up/run.ts";
import { afterFault } from "./after-fault.ts";
import type { FaultScene } from "./fault-scene.ts";
import { openFaultScene } from "./fault-scene.ts";

const { own } = thisCluster();

/** What a start and a stop need in a namespace. */
const needed = rights.filter(({ level }) => level === "needed");

describe.skipIf(own === null)("on our own cluster", () => {
  const heal: (() => unknown)[] = [];

  afterEach(async () => {
    for (const mend of heal.splice(0).reverse()) await mend();
  });

  async function open(options: Parameters<typeof openFaultScene>[0] = {}): Promise<FaultScene> {
    const scene = await openFaultScene(options);
    heal.push(() => scene.end());
    return scene;
  }

  test("its namespace is being deleted: the agent ends gracefully, and a start says that nothing can be created there", async () => {
    const scene = await open();
    await scene.start({ behaviour: "endsSlowly" });
    const anchor = scene.namespace.path("configmaps", "anchor");
    const metadata = { name: "anchor", finalizers: ["example.org/anchor"] };
    await scene.api.send("POST", scene.namespace.path("configmaps"), { apiVersion: "v1", kind: "ConfigMap", metadata });
    heal.push(() => adminRequest(scene.layout, "PATCH", anchor, { metadata: { finalizers: [] } }));
    await scene.api.send("DELETE", `/api/v1/namespaces/${scene.namespace.name}`);
    await until("the pod is told to end", async () => (await scene.instance())?.deletion !== null, patienceMs);
    expect(await scene.alive()).toBe(1);
    const outcome = await scene.start();
    expect(outcome).toMatchObject({ outcome: "refused", condition: { code: "scopeTerminating" } });
    expect(outcome.condition?.message).toContain(scene.namespace.name);
    await afterFault(scene, { alive: 0, asked: scene.proxy.requests });
  });

  test("its namespace is not there and not ours to make: the command for those who may is told, and nothing falls back to another", async () => {
    const api = apiOf(thisCluster());
    heal.push(() => api.close());
    const who = somebody(api);
    heal.push(() => who.end());
    const scene = await open({ namespaceMade: false, access: who.access });
    await who.mayEverywhere(needed);
    await until("the rights hold", async () => (await scene.substrate.readInstances(scene.identity)).kind === "read");
    expect(await scene.start()).toMatchObject({
      outcome: "refused",
      condition: {
        code: "scopeAbsent",
        hint: expect.stringContaining(`kubectl --context test create namespace ${scene.namespace.name}`),
      },
    });
    const asked = scene.proxy.requests;
    expect(asked.filter(({ path }) => !path.includes(`/namespaces/${scene.namespace.name}/`))).toMatchObject([
      { method: "POST", path: "/api/v1/namespaces" },
    ]);
    await scene.api.send("POST", "/api/v1/namespaces", { metadata: { name: scene.namespace.name } });
    expect(await scene.start()).toMatchObject({ outcome: "started" });
    await afterFault(scene, { alive: 1, asked: scene.proxy.requests });
  });

  test("two clusters in one kubeconfig: the same agent is another one in each, and a stop here touches nothing there", async () => {
    const folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
    heal.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "config");
    /** By way of two contexts of one file. That both clusters are the same in truth, nobody can tell from it. */
    const by =
      (context: "near" | "far") =>
      (admin: ClusterAccess): ClusterAccess => {
        writeFileSync(path, JSON.stringify(kubeconfigOf(admin, context)), { mode: 0o600 });
        return findAccess({ env: { KUBECONFIG: path }, home: null }, { context, namespace: admin.namespace });
      };
    const near = await open({ access: by("near") });
    const far = await open({ access: by("far") });
    for (const scene of [near, far]) expect(await scene.start()).toMatchObject({ outcome: "started" });
    expect(near.name).toBe(far.name);
    expect(await near.stop()).toMatchObject({ outcome: "stopped" });
    await afterFault(near, { alive: 0, asked: near.proxy.requests });
    await afterFault(far, { alive: 1, asked: far.proxy.requests });
    expect(await far.start()).toMatchObject({ outcome: "alreadyRunning", requests: 1 });
  });

  test("a token ends while a start waits: a new one in its file is taken up, and without one the start says so and undoes nothing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "token-"));
    heal.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "token");
    writeFileSync(path, "none.yet.made");
    const token = { kind: "file", path } as const;
    const scene = await open({
      declared: { nodeSelector: { nowhere: "true" } },
      access: (admin) => ({ ...admin, user: { ...admin.user, token } }),
    });
    const account = await makeAccount(scene);
    const isOver = async (text: string): Promise<boolean> => {
      const access = scene.here.access();
      const transport = transportFor({
        ...access,
        user: { ...access.user, token: { kind: "data", bytes: Buffer.from(text) } },
      });
      const answer = await transport.send({ method: "GET", path: scene.namespace.path("pods") });
      transport.close();
      return answer.kind === "answered" && answer.status === 401;
    };
    const first = tokenOf(scene, account, 5);
    writeFileSync(path, first);
    const waiting = scene.start();
    await scene.untilTold("unschedulable");
    const before = (await scene.instance())?.fence.uid;
    await until("the first token is over", () => isOver(first));
    const second = tokenOf(scene, account, 5);
    writeFileSync(path, second);
    const asked = scene.proxy.requests.length;
    // Its watch has lasted longer than the token; the next read is what asks for another.
    scene.proxy.cut();
    await until("it watches again", () => scene.proxy.requests.slice(asked).some((one) => one.watch), patienceMs);
    await until("the second token is over", () => isOver(second));
    scene.proxy.cut();
    expect(await waiting).toMatchObject({ outcome: "refused", condition: { code: "unauthenticated" } });
    writeFileSync(path, tokenOf(scene, account, 600));
    expect(await scene.start({ deadlineMs: 1_000 })).toMatchObject({ outcome: "notConfirmed", intent: "current" });
    expect((await scene.instance())?.fence.uid).toBe(before);
    await afterFault(scene, { alive: 0, asked: scene.proxy.requests });
  });
});

/** The way by the proxy is one cluster, and the straight one another. */
function kubeconfigOf(admin: ClusterAccess, own: "near" | "far"): Json {
  const other = own === "near" ? "far" : "near";
  const authority = readFileSync(pkiPaths(thisCluster().own ?? expect.fail("no cluster of ours")).authority);
  const cluster = (name: string, server: string): Json => ({
    name,
    cluster: { server, "certificate-authority-data": authority.toString("base64") },
  });
  const bytes = admin.user.token?.kind === "data" ? admin.user.token.bytes : new Uint8Array();
  const context = (name: string): Json => ({ name, context: { cluster: name, user: "admin" } });
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": other,
    clusters: [cluster(own, admin.server), cluster(other, thisCluster().access().server)],
    users: [{ name: "admin", user: { token: Buffer.from(bytes).toString() } }],
    contexts: [context(own), context(other)],
  };
}

/** A service account that may start and stop in the scene's namespace; its UID. */
async function makeAccount({ api, namespace }: FaultScene): Promise<string> {
  const name = "starter";
  const { object } = await api.send("POST", namespace.path("serviceaccounts"), { metadata: { name } });
  await somebody(api, { kind: "ServiceAccount", name, namespace: namespace.name }).may(namespace.name, needed);
  return (object as { metadata: { uid: string } }).metadata.uid;
}

/** A token of the account that is taken for so many seconds. */
function tokenOf({ layout, namespace }: FaultScene, uid: string, seconds: number): string {
  return makeToken(layout, { namespace: namespace.name, name: "starter", uid }, Date.now() + seconds * 1000);
}
