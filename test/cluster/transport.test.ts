// Transport and watch against a real API server: what it answers, and what becomes of a watch when it stops, pauses and comes back.
import { createAbort } from "@moorage/core";
import { awakeClock } from "@moorage/harness";
import { systemRandom } from "@moorage/keys";
import type { ClusterAccess, Told, WatchSource } from "@moorage/kubernetes";
import { watch } from "@moorage/kubernetes";
import { afterEach, describe, expect, test } from "vitest";
import { thisCluster, transportFor } from "./this-cluster.ts";
import { adminRequest } from "./up/admin.ts";
import { restartPart, signalPart, stopPart } from "./up/part.ts";
import { until } from "./up/run.ts";

const cluster = thisCluster();
const ends: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function open(access: ClusterAccess = cluster.access()) {
  const transport = transportFor(access);
  ends.push(() => transport.close());
  return transport;
}

const namespaces = { method: "GET", path: "/api/v1/namespaces" } as const;

test("a list comes with the server's time, which is the machine's own here", async () => {
  const answer = await open().send(namespaces);
  if (answer.kind !== "answered") throw new Error(answer.detail);
  expect(answer.status).toBe(200);
  expect(Math.abs((answer.serverTime ?? 0) - Date.now())).toBeLessThan(5_000);
});

test("a token that nobody knows is a 401", async () => {
  const access = cluster.access();
  const unknown = { ...access.user, token: { kind: "data" as const, bytes: Buffer.from("unknown") } };
  expect(await open({ ...access, user: unknown }).send(namespaces)).toMatchObject({ status: 401 });
});

test("a certificate of an unknown authority is told, and nothing is sent", async () => {
  const answer = await open({ ...cluster.access(), authority: null }).send(namespaces);
  expect(answer).toMatchObject({ kind: "notSent", lasting: true, detail: expect.stringContaining("certificate") });
});

describe.skipIf(cluster.own === null)("on our own cluster", () => {
  const layout = () => cluster.own ?? expect.fail("no cluster of ours");

  test("somebody without rights is told which one is missing", async () => {
    const answer = await open(cluster.access("nobody")).send({
      method: "GET",
      path: "/api/v1/namespaces/default/pods",
    });
    expect(answer).toMatchObject({
      kind: "answered",
      status: 403,
      body: expect.stringContaining('cannot list resource \\"pods\\"'),
    });
  });

  /** Watches config maps of the namespace default, from nothing. */
  function watched(idleMs: number) {
    const transport = open();
    const abort = createAbort();
    const path = "/api/v1/namespaces/default/configmaps";
    const source: WatchSource = {
      async list() {
        const answer = await transport.send({ method: "GET", path });
        if (answer.kind !== "answered") return { kind: "listFailed", detail: answer.detail, retryAfterMs: null };
        const list = JSON.parse(answer.body) as { metadata: { resourceVersion: string }; items: [] };
        return { kind: "listed", objects: list.items, version: list.metadata.resourceVersion };
      },
      open: (from, signal) =>
        transport.open(`${path}?watch=true&allowWatchBookmarks=true&resourceVersion=${from}`, idleMs, signal),
    };
    const ports = { clock: awakeClock(), random: systemRandom, signal: abort.signal };
    const told = watch(source, null, ports);
    const heard: Told[] = [];
    const reading = (async () => {
      for await (const one of told) heard.push(one);
    })();
    ends.push(async () => {
      abort.abort();
      await reading;
    });
    const names = (): string[] =>
      heard.flatMap((one) => (one.kind === "changed" ? [(one.object["metadata"] as { name: string }).name] : []));
    // A server that has started anew may not keep the version any more: then a list tells what came since.
    const listed = (name: string): boolean =>
      heard.some(
        (one) =>
          one.kind === "listed" && one.objects.some((each) => (each["metadata"] as { name: string }).name === name),
      );
    return { heard, names, told: (name: string) => names().includes(name) || listed(name) };
  }

  let made = 0;
  async function makeConfigMap(): Promise<string> {
    const name = `made-${process.pid}-${(made += 1)}`;
    const path = "/api/v1/namespaces/default/configmaps";
    await until(`${name} is made`, async () => {
      const { status } = await adminRequest(layout(), "POST", path, { metadata: { name } });
      return status === 201 || status === 409;
    });
    ends.push(async () => void (await adminRequest(layout(), "DELETE", `${path}/${name}`)));
    return name;
  }

  test("a watch goes on over a restart of the API server and misses nothing", async () => {
    const { heard, names, told } = watched(60_000);
    await until("it is listed", () => heard.length > 0);
    const before = await makeConfigMap();
    await until("the first is heard", () => names().includes(before));
    await stopPart(layout().dir, "apiserver");
    restartPart(layout().dir, "apiserver");
    const after = await makeConfigMap();
    await until("the second is heard", () => told(after), 120_000);
    expect(heard.filter(({ kind }) => kind === "paused").length).toBeGreaterThan(0);
    expect(names().filter((name) => name === before)).toHaveLength(1);
  });

  test("a watch of a paused API server counts as dead after its limit, and goes on afterwards", async () => {
    const { heard, told } = watched(2_000);
    await until("it is listed", () => heard.length > 0);
    signalPart(layout().dir, "apiserver", "SIGSTOP");
    ends.push(() => void signalPart(layout().dir, "apiserver", "SIGCONT"));
    await until("it is given up", () =>
      heard.some((one) => one.kind === "paused" && one.detail === "nothing came for 2 s"),
    );
    signalPart(layout().dir, "apiserver", "SIGCONT");
    const name = await makeConfigMap();
    await until("it is heard", () => told(name));
  });
});
