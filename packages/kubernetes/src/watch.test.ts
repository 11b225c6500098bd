import { createAbort } from "@moorage/core";
import { afterEach, expect, test } from "vitest";
import { Credentials } from "./credentials.ts";
import type { Handler, MisbehavingServer } from "./misbehaving-server.fixture.ts";
import { accessTo, answerJson, evenRandom, realClock, startServer } from "./misbehaving-server.fixture.ts";
import { Transport } from "./transport.ts";
import type { Told, WatchSource } from "./watch.ts";
import { watch } from "./watch.ts";

const ends: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Watched {
  readonly server: MisbehavingServer;
  /** The next thing that is told. */
  next(): Promise<Told>;
  leave(): Promise<unknown>;
}

const idleMs = 200;

/** A watch over a server whose lists are at version 5 and hold nothing. */
async function watched(handler: Handler, from: string | null = "5"): Promise<Watched> {
  const server = await startServer(handler);
  const access = accessTo(server.server);
  const transport = new Transport(access, new Credentials(access, { env: {}, now: () => 0 }));
  const abort = createAbort();
  const source: WatchSource = {
    list: async () => {
      const answer = await transport.send({ method: "GET", path: "/list" });
      return answer.kind === "answered" && answer.status === 200
        ? { kind: "listed", objects: [], version: "5" }
        : { kind: "listFailed", detail: answer.kind, retryAfterMs: null };
    },
    open: (version, signal) => transport.open(`/watch?from=${version}`, idleMs, signal),
  };
  const ports = { clock: realClock, random: evenRandom, signal: abort.signal };
  const told = watch(source, from, ports);
  const leave = (): Promise<unknown> => {
    abort.abort();
    return told.return();
  };
  ends.push(async () => {
    await leave();
    transport.close();
    await server.end();
  });
  return {
    server,
    leave,
    next: async () => {
      const next = await told.next();
      if (next.done === true) throw new Error("the watch is over");
      return next.value;
    },
  };
}

const event = (type: string, version: number, name = "p"): string =>
  `${JSON.stringify({ type, object: { metadata: { name, resourceVersion: String(version) } } })}\n`;

const froms = (server: MisbehavingServer): string[] => server.received.map(({ url }) => url.replace(/.*=/, ""));

test("events in pieces that end inside a character and inside a line arrive whole and in order", async () => {
  const bytes = Buffer.from(event("ADDED", 6, "ä漢😀") + event("DELETED", 7, "😀"));
  const watching = await watched((_request, response) => {
    let at = 0;
    const more = (): void => {
      if (at < bytes.length) response.write(bytes.subarray(at, (at += 7)), () => setImmediate(more));
    };
    more();
  });
  expect(await watching.next()).toMatchObject({
    kind: "changed",
    object: { metadata: { name: "ä漢😀" } },
    version: "6",
  });
  expect(await watching.next()).toMatchObject({ kind: "removed", object: { metadata: { name: "😀" } }, version: "7" });
});

test("after the server's end it goes on from the last version, bookmarks included", async () => {
  const watching = await watched((request, response) => {
    if (request.url.endsWith("=5")) response.end(event("ADDED", 6) + event("BOOKMARK", 9));
    else response.write(event("MODIFIED", 10));
  });
  expect(await watching.next()).toMatchObject({ version: "6" });
  expect(await watching.next()).toMatchObject({ kind: "paused", detail: "the server ended it" });
  expect(await watching.next()).toMatchObject({ version: "10" });
  expect(froms(watching.server)).toEqual(["5", "9"]);
});

test.each([
  ["half a line at the end is no event", (): string => `${event("ADDED", 6)}{"type":"MODI`],
  ["a line that is no JSON ends the stream", (): string => `${event("ADDED", 6)}half\n${event("ADDED", 7)}`],
])("%s", async (_what, text) => {
  const watching = await watched((request, response) => {
    if (request.url.endsWith("=5")) response.end(text());
    else response.write(event("MODIFIED", 8));
  });
  expect(await watching.next()).toMatchObject({ version: "6" });
  expect(await watching.next()).toMatchObject({ kind: "paused" });
  expect(await watching.next()).toMatchObject({ version: "8" });
  expect(froms(watching.server)).toEqual(["5", "6"]);
});

test.each([
  ["as an answer", (response: Parameters<Handler>[1]) => answerJson(response, 410, { reason: "Expired" })],
  [
    "as an event",
    (response: Parameters<Handler>[1]) =>
      void response.end(`${JSON.stringify({ type: "ERROR", object: { code: 410, reason: "Expired" } })}\n`),
  ],
])("410 %s makes it list again", async (_what, expire) => {
  let expired = false;
  const watching = await watched((request, response) => {
    if (request.url === "/list") answerJson(response, 200, {});
    else if (!expired) {
      expired = true;
      expire(response);
    } else response.write(event("ADDED", 6));
  });
  expect(await watching.next()).toMatchObject({ kind: "paused", detail: "the version is too old" });
  expect(await watching.next()).toEqual({ kind: "listed", objects: [] });
  expect(await watching.next()).toMatchObject({ version: "6" });
});

test("a stream that falls silent is given up and made again", async () => {
  let opened = 0;
  const watching = await watched((_request, response) => {
    opened += 1;
    response.write(opened === 1 ? event("ADDED", 6) : event("ADDED", 7));
  });
  await watching.next();
  expect(await watching.next()).toMatchObject({ kind: "paused", detail: "nothing came for 0.2 s" });
  expect(await watching.next()).toMatchObject({ version: "7" });
});

test("a server that ends every stream at once is asked less and less often", async () => {
  const watching = await watched((_request, response) => void response.writeHead(200).end());
  const began = performance.now();
  for (let count = 0; count < 5; count += 1) expect(await watching.next()).toMatchObject({ kind: "paused" });
  // With half of the jitter: 75 + 150 + 300 + 600 ms between five streams.
  expect(performance.now() - began).toBeGreaterThan(1100);
  expect(watching.server.received).toHaveLength(5);
});

test("429 is obeyed", async () => {
  const watching = await watched((_request, response) => answerJson(response, 429, {}, { "Retry-After": "7" }));
  expect(await watching.next()).toEqual({
    kind: "paused",
    detail: "the watch was answered with 429",
    retryAfterMs: 7000,
  });
});

test("from nothing it lists first, and a list that fails is repeated", async () => {
  let lists = 0;
  const watching = await watched((request, response) => {
    if (request.url !== "/list") response.write(event("ADDED", 6));
    else answerJson(response, (lists += 1) === 1 ? 500 : 200, {});
  }, null);
  expect(await watching.next()).toMatchObject({ kind: "paused" });
  expect(await watching.next()).toEqual({ kind: "listed", objects: [] });
  expect(await watching.next()).toMatchObject({ version: "6" });
});

test("a reader that leaves while it waits ends at once", async () => {
  const watching = await watched((_request, response) => void response.write(event("ADDED", 6)));
  await watching.next();
  const waiting = watching.next();
  const left = watching.leave();
  await expect(waiting).rejects.toThrow("the watch is over");
  await left;
});
