// The ways to a real cluster, and what is said when one of them is over: tokens, certificates, plugins, the inside of a pod, contexts of two clusters.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalEntry, StartOutcome } from "@moorage/core";
import { createAbort, startAgent } from "@moorage/core";
import { awakeClock } from "@moorage/harness";
import { sha256, systemRandom } from "@moorage/keys";
import type { Cluster, ClusterAccess } from "@moorage/kubernetes";
import { findAccess, openCluster } from "@moorage/kubernetes";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { apiOf } from "./api.ts";
import { identityOf, startRequestOf } from "./kubernetes-agent.ts";
import { makeCertificate, makeToken } from "./made-credentials.ts";
import type { Namespace } from "./namespace.ts";
import { ownNamespace } from "./namespace.ts";
import { patienceMs } from "./scene.ts";
import { somebody } from "./somebody.ts";
import { accessBy, thisCluster } from "./this-cluster.ts";
import type { Layout } from "./up/layout.ts";
import { tokens } from "./up/layout.ts";
import { pkiPaths } from "./up/pki.ts";
import { until } from "./up/run.ts";

const here = thisCluster();
const api = apiOf(here);
const ends: (() => void | Promise<void>)[] = [];
let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "access-"));
  ends.push(() => rmSync(dir, { recursive: true, force: true }));
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

afterAll(() => api.close());

async function aNamespace(): Promise<Namespace> {
  const namespace = await ownNamespace(api);
  ends.push(() => namespace.remove());
  return namespace;
}

function open(access: ClusterAccess): Cluster {
  const cluster = openCluster({
    access,
    env: { PATH: process.env["PATH"] },
    clock: awakeClock(),
    random: systemRandom,
    now: () => Date.now(),
  });
  ends.push(() => cluster.close());
  return cluster;
}

const agent = "scribe";

function start({ substrate }: Cluster, ask: { deadlineMs?: number; image?: string } = {}): Promise<StartOutcome> {
  const { deadlineMs = patienceMs, image = here.image } = ask;
  const journal = { append: (_: JournalEntry): void => undefined };
  const ports = { substrate, clock: awakeClock(), random: systemRandom, journal, signal: createAbort().signal };
  return startAgent({ ...startRequestOf(agent, image, {}), deadlineMs }, { ...ports, digest: sha256 });
}

async function problems(cluster: Cluster): Promise<string> {
  return (await cluster.check())
    .filter(({ state }) => state === "problem")
    .map(({ name, message, hint }) => `${name}: ${message}; ${hint ?? ""}`)
    .join("\n");
}

test("a token that nobody knows: a start changes nothing, says so, and so does doctor", async () => {
  const { name: namespace } = await aNamespace();
  const admin = here.access();
  const token = { kind: "data" as const, bytes: Buffer.from("nobody-knows-this-token") };
  const cluster = open({ ...admin, namespace, user: { ...admin.user, token } });
  const outcome = await start(cluster);
  expect(outcome).toMatchObject({ outcome: "refused", condition: { code: "unauthenticated" }, actions: [] });
  const told = await problems(cluster);
  expect(told).toMatch(/^user: the API server does not accept \w+, who signs in by a token; sign in again/);
  expect(told + JSON.stringify(outcome)).not.toContain("nobody-knows-this-token");
});

describe.skipIf(here.own === null)("on our own cluster", () => {
  const layout = here.own as Layout;
  const server = `https://127.0.0.1:${layout?.apiPort}`;
  const authority = (): string => pkiPaths(layout).authority;

  /** The access of a kubeconfig with one context, whose user this is. */
  function as(user: string, namespace: string, more: { server?: string; cluster?: string } = {}): ClusterAccess {
    const path = join(dir, "config");
    const cluster = `{server: "${more.server ?? server}", certificate-authority: "${authority()}"${more.cluster ?? ""}}`;
    writeFileSync(
      path,
      `{current-context: c, clusters: [{name: k, cluster: ${cluster}}], users: [{name: ada, user: ${user}}], contexts: [{name: c, context: {cluster: k, user: ada, namespace: ${namespace}}}]}`,
    );
    return accessBy(path);
  }

  /** A service account that may do all that is needed in its namespace. */
  async function anAccount(namespace: Namespace): Promise<{ namespace: string; name: string; uid: string }> {
    const who = somebody(api, { kind: "ServiceAccount", name: "default", namespace: namespace.name });
    ends.push(() => who.end());
    await who.apply("rbac.yaml", namespace.name);
    const { object } = await api.send("GET", namespace.path("serviceaccounts", "default"));
    const { uid } = (object as { metadata: { uid: string } }).metadata;
    return { namespace: namespace.name, name: "default", uid };
  }

  const reads = async (cluster: Cluster): Promise<boolean> => (await cluster.inventory.readScope()).kind === "read";

  test("a token that is over while a start waits ends it with that, and what was started stays", async () => {
    const namespace = await aNamespace();
    const account = await anAccount(namespace);
    const good = open(as(`{token: ${makeToken(layout, account, Date.now() + 600_000)}}`, namespace.name));
    await until("the rights are known", () => reads(good));
    const end = Date.now() + 4_000;
    const short = open(as(`{token: ${makeToken(layout, account, end)}}`, namespace.name));
    // Nobody listens there: it waits for as long as it may.
    const image = `127.0.0.1:1/nowhere@sha256:${"0".repeat(64)}`;
    const outcome = await start(short, { image });
    expect(Date.now()).toBeGreaterThanOrEqual(end);
    expect(outcome).toMatchObject({ outcome: "refused", condition: { code: "unauthenticated" } });
    expect(outcome.condition?.hint).toContain("moorage doctor");
    expect(await good.inventory.readScope()).toMatchObject({ kind: "read", instances: [{ deletion: null }] });
  });

  test("inside a pod, a token file that is replaced is taken up by itself", async () => {
    const namespace = await aNamespace();
    const account = await anAccount(namespace);
    const mounted = join(dir, "serviceaccount");
    mkdirSync(mounted);
    writeFileSync(join(mounted, "ca.crt"), readFileSync(authority()));
    writeFileSync(join(mounted, "namespace"), namespace.name);
    const put = (end: number): void => writeFileSync(join(mounted, "token"), makeToken(layout, account, end));
    put(Date.now() + 3_000);
    const env = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(layout.apiPort) };
    const cluster = open(
      findAccess({ env, home: dir, serviceAccountDir: mounted }, { context: null, namespace: null }),
    );
    await until("the rights are known", () => reads(cluster));
    await until("the token is over", async () => !(await reads(cluster)));
    expect(await cluster.inventory.readScope()).toMatchObject({ refusal: { kind: "unauthenticated" } });
    put(Date.now() + 600_000);
    expect(await start(cluster)).toMatchObject({ outcome: "started" });
    const checks = await cluster.check();
    expect(checks[0]?.message).toBe(`the inside of a pod, by its service account, namespace ${namespace.name}`);
    expect(checks.find(({ name }) => name === "user")?.message).toContain(
      `knows it as system:serviceaccount:${namespace.name}:default`,
    );
  });

  test("a client certificate is who we are, until it is over", async () => {
    const { name: namespace } = await aNamespace();
    const user = (days: number): string => {
      const { certificate, key } = makeCertificate(layout, dir, "/O=system:masters/CN=ada-by-certificate", days);
      const data = (path: string): string => readFileSync(path).toString("base64");
      return `{client-certificate-data: ${data(certificate)}, client-key-data: ${data(key)}}`;
    };
    const cluster = open(as(user(1), namespace));
    expect(await start(cluster)).toMatchObject({ outcome: "started" });
    expect((await cluster.check()).find(({ name }) => name === "user")?.message).toBe(
      "ada, by a certificate; the API server knows it as ada-by-certificate",
    );
    const over = open(as(user(-1), namespace));
    expect(await start(over)).toMatchObject({
      outcome: "refused",
      condition: { code: "unauthenticated" },
      actions: [],
    });
    expect(await problems(over)).toContain("does not accept ada, who signs in by a certificate");
  });

  test("a server whose certificate is over is told in words, and nothing is sent to it", async () => {
    const { certificate, key } = makeCertificate(layout, dir, "/CN=127.0.0.1", -1, "subjectAltName=IP:127.0.0.1");
    let requests = 0;
    const front = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (_, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => void front.listen(0, "127.0.0.1", resolve));
    ends.push(() => void front.close());
    const at = `https://127.0.0.1:${(front.address() as AddressInfo).port}`;
    const cluster = open(as(`{token: ${tokens.admin}}`, "default", { server: at }));
    const outcome = await start(cluster);
    expect(outcome).toMatchObject({ outcome: "refused", condition: { code: "unreachable" } });
    expect(outcome.condition?.message).toContain("its certificate has expired");
    expect(await problems(cluster)).toContain("its certificate has expired");
    expect(requests).toBe(0);
  });

  describe("a plugin", () => {
    const plugin = (command: string, more = ""): string =>
      `{exec: {apiVersion: client.authentication.k8s.io/v1, command: "${command}"${more}}}`;

    test("that is missing is named, with how it is installed", async () => {
      const cluster = open(as(plugin("no-such-plugin-anywhere", ', installHint: "ask ada"'), "default"));
      const outcome = await start(cluster);
      expect(outcome).toMatchObject({ outcome: "refused", condition: { code: "unreachable" } });
      for (const told of [outcome.condition?.message, await problems(cluster)]) {
        expect(told).toContain('"no-such-plugin-anywhere" is not installed');
        expect(told).toContain("ask ada");
      }
    });

    test("is asked again when the server does not accept its token any more", async () => {
      const { name: namespace } = await aNamespace();
      const command = join(dir, "get-token");
      const first = "a-token-that-was-good";
      writeFileSync(
        command,
        `#!/bin/sh
echo run >>"${dir}/runs"
[ "$(wc -l <"${dir}/runs")" -eq 1 ] && token=${first} || token=${tokens.admin}
printf '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "%s"}}' "$token"
`,
      );
      chmodSync(command, 0o755);
      const cluster = open(as(plugin(command), namespace));
      expect(await start(cluster)).toMatchObject({ outcome: "started", requests: expect.any(Number) });
      expect(readFileSync(join(dir, "runs"), "utf8")).toBe("run\nrun\n");
    });
  });

  test("an auth provider signs in through the client library", async () => {
    const { name: namespace } = await aNamespace();
    const provider = `{auth-provider: {name: gcp, config: {access-token: ${tokens.admin}}}}`;
    expect(await start(open(as(provider, namespace)))).toMatchObject({ outcome: "started" });
  });

  test("two contexts of one kubeconfig are two places: what is started in one is not in the other", async () => {
    const [near, far] = [await aNamespace(), await aNamespace()];
    const path = join(dir, "config");
    const cluster = (name: string, host: string): string =>
      `{name: ${name}, cluster: {server: "https://${host}:${layout.apiPort}", certificate-authority: "${authority()}"}}`;
    writeFileSync(
      path,
      `current-context: near
clusters: [${cluster("one", "127.0.0.1")}, ${cluster("two", "localhost")}]
users: [{name: ada, user: {token: ${tokens.admin}}}, {name: bob, user: {token: ${tokens.nobody}}}]
contexts:
- {name: near, context: {cluster: one, user: ada, namespace: ${near.name}}}
- {name: far, context: {cluster: two, user: bob, namespace: ${far.name}}}
`,
    );
    const by = (context: string | null): Cluster =>
      open(findAccess({ env: { KUBECONFIG: path }, home: null }, { context, namespace: null }));
    const podsIn = async (namespace: Namespace): Promise<number> =>
      ((await api.send("GET", namespace.path("pods"))).object as { items: unknown[] }).items.length;
    expect(await start(by(null))).toMatchObject({ outcome: "started", scope: `the namespace ${near.name}` });
    expect([await podsIn(near), await podsIn(far)]).toEqual([1, 0]);
    // The other context is another user: it has no rights there yet, and is not helped out by the first one's.
    expect(await start(by("far"))).toMatchObject({ outcome: "refused", condition: { code: "forbidden" } });
    const bob = somebody(api, { kind: "User", name: "nobody", apiGroup: "rbac.authorization.k8s.io" });
    ends.push(() => bob.end());
    await bob.apply("rbac.yaml", far.name);
    const there = by("far");
    await until("the rights are known", () => reads(there));
    expect(await start(there)).toMatchObject({ outcome: "started", scope: `the namespace ${far.name}` });
    expect([await podsIn(near), await podsIn(far)]).toEqual([1, 1]);
    const [first] = await there.check();
    expect(first?.message).toBe(`${path}, context far, namespace ${far.name}`);
    expect(existsSync(path)).toBe(true);
    expect(await there.substrate.readInstances(identityOf(agent))).toMatchObject({ instances: [{}] });
  });
});
