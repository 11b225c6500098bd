import type { ServerResponse } from "node:http";
import { createAbort } from "@moorage/core";
import { afterEach, expect, test } from "vitest";
import type { OpenedCluster } from "./cluster.fixture.ts";
import { openOn, ourPod, patience } from "./cluster.fixture.ts";
import { Credentials } from "./credentials.ts";
import { accessTo, answerJson, evenRandom, realClock } from "./misbehaving-server.fixture.ts";
import { PodChanges } from "./pod-changes.ts";
import { mooragePods } from "./pod-profile.ts";
import { requestsTo } from "./requests.ts";
import { Transport } from "./transport.ts";

let opened: OpenedCluster;
let watches: ServerResponse[] = [];
let wake: () => void = () => undefined;
const ends: (() => void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  watches = [];
  await opened.end();
});

/** A namespace whose watch a test writes. */
async function open(): Promise<OpenedCluster> {
  opened = await openOn((request, response) => {
    if (!request.url.includes("watch=true"))
      return answerJson(response, 200, { metadata: { resourceVersion: "10" }, items: [] });
    response.writeHead(200).flushHeaders();
    watches.push(response);
    wake();
  });
  return opened;
}

async function watched(number: number): Promise<ServerResponse> {
  while (watches[number] === undefined)
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  return watches[number];
}

function change(response: ServerResponse, version: string): void {
  response.write(
    `${JSON.stringify({ type: "MODIFIED", object: ourPod({ metadata: { resourceVersion: version } }) })}\n`,
  );
}

/** A long time, which only a change or an abort makes short. */
function patient() {
  const source = patience();
  ends.push(() => source.abort());
  return source;
}

const urls = (): readonly string[] => opened.server.received.map(({ url }) => url);

test("a change ends the waiting, and the watch goes on for the next one", async () => {
  const { cluster } = await open();
  await cluster.inventory.readScope();
  const first = cluster.changed(60_000, patient().signal);
  change(await watched(0), "11");
  await first;
  const second = cluster.changed(60_000, patient().signal);
  change(await watched(0), "12");
  await second;
  expect(urls().filter((url) => url.includes("watch=true"))).toHaveLength(1);
  expect(urls()[1]).toContain("resourceVersion=10");
  expect(urls()[1]).toContain("managed-by%3Dmoorage");
  expect(urls()).toHaveLength(2);
});

test("each reader is told of what came while it did not wait", async () => {
  const { server } = await open();
  const access = accessTo(server.server);
  const transport = new Transport(access, new Credentials(access, { env: {}, now: () => 0 }));
  const life = createAbort();
  ends.push(() => life.abort());
  ends.push(() => transport.close());
  const common = { profile: mooragePods, clock: realClock, random: evenRandom };
  const scope = { ...common, transport, namespace: "team", context: null, server: access.server };
  const changes = new PodChanges(scope, requestsTo(scope), life.signal);
  changes.scopeRead("10");
  const [one, other] = [changes.reader(), changes.reader()];
  const signal = patient().signal;
  for (const version of ["11", "12"]) {
    const waiting = one.next(60_000, signal);
    change(await watched(0), version);
    await waiting;
  }
  await other.next(60_000, signal);
  expect(signal.aborted).toBe(false);
  // Both at once, and nothing is left.
  await other.next(10, signal);
});

test("without a read before, the first list is a change", async () => {
  const { cluster } = await open();
  const signal = patient().signal;
  await cluster.changed(60_000, signal);
  expect(signal.aborted).toBe(false);
  expect(urls()[0]).not.toContain("watch=true");
});

test("time alone ends it, and so does the signal, and the end of the cluster", async () => {
  const { cluster } = await open();
  await cluster.inventory.readScope();
  await cluster.changed(10, patient().signal);
  const source = patient();
  const waiting = cluster.changed(60_000, source.signal);
  source.abort();
  await waiting;
  await cluster.changed(60_000, source.signal);
  const last = cluster.changed(60_000, patient().signal);
  cluster.close();
  await last;
});

test("a watch that breaks goes on by itself", async () => {
  const { cluster } = await open();
  await cluster.inventory.readScope();
  const first = cluster.changed(60_000, patient().signal);
  const broken = await watched(0);
  change(broken, "11");
  await first;
  let told = false;
  const second = cluster.changed(60_000, patient().signal).then(() => {
    told = true;
  });
  broken.destroy();
  const again = await watched(1);
  expect(told).toBe(false);
  change(again, "12");
  await second;
  expect(urls().at(-1)).toContain("resourceVersion=11");
});
