import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAbort } from "@moorage/core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ClusterAccess, UserAccess } from "./cluster-access.ts";
import { Credentials } from "./credentials.ts";
import type { Handler, MisbehavingServer, Pki } from "./misbehaving-server.fixture.ts";
import { accessTo, answerJson, makePki, startServer } from "./misbehaving-server.fixture.ts";
import type { Answer, ApiRequest, TransportLimits } from "./transport.ts";
import { Transport, transportLimits } from "./transport.ts";

const token = "very-secret-token";
const bearer: Partial<UserAccess> = { token: { kind: "data", bytes: Buffer.from(token) } };
const get: ApiRequest = { method: "GET", path: "/api/v1/namespaces/team/pods?x=1" };
const post: ApiRequest = { method: "POST", path: "/api/v1/namespaces", body: { kind: "Namespace" } };

let pki: Pki;
const ends: (() => void | Promise<void>)[] = [];

beforeAll(() => {
  pki = makePki();
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(handler: Handler, keys?: Pki, wantsCertificate = false): Promise<MisbehavingServer> {
  const server = await startServer(handler, keys, wantsCertificate);
  ends.push(() => server.end());
  return server;
}

function transportTo(access: ClusterAccess, limits: Partial<TransportLimits> = {}): Transport {
  const credentials = new Credentials(access, { env: process.env, now: () => Date.now() });
  const transport = new Transport(access, credentials, { ...transportLimits, ...limits });
  ends.push(() => transport.close());
  return transport;
}

const ok: Handler = (_request, response) => answerJson(response, 200, { ok: true });

test("what was asked arrives, and the answer comes back with the server's time", async () => {
  const server = await serve((_request, response) =>
    answerJson(response, 201, { made: "ä" }, { Date: "Thu, 01 Jan 1970 00:00:05 GMT", "Retry-After": "3" }),
  );
  const answer = await transportTo(accessTo(server.server, bearer)).send(post);
  expect(answer).toEqual({ kind: "answered", status: 201, body: '{"made":"ä"}', serverTime: 5000, retryAfterMs: 3000 });
  expect(server.received[0]).toMatchObject({
    method: "POST",
    url: "/api/v1/namespaces",
    body: '{"kind":"Namespace"}',
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" },
  });
});

test("a date that is none counts as absent", async () => {
  const server = await serve((_request, response) => answerJson(response, 200, {}, { Date: "yesterday" }));
  expect(await transportTo(accessTo(server.server)).send(get)).toMatchObject({ serverTime: null });
});

test("many requests, one after the other, share one connection, over TLS too", async () => {
  const server = await serve(ok, pki);
  const transport = transportTo(accessTo(server.server, bearer, pki.authority));
  for (let count = 0; count < 20; count += 1) await transport.send(get);
  expect(server.received).toHaveLength(20);
  expect(server.connections()).toBe(1);
});

describe("nothing can have reached the server", () => {
  test("where nothing listens", async () => {
    const server = await serve(ok);
    await server.end();
    ends.pop();
    const answer = await transportTo(accessTo(server.server, bearer)).send(post);
    expect(answer).toMatchObject({ kind: "notSent", lasting: false, detail: expect.stringContaining("ECONNREFUSED") });
  });

  test("where its certificate is not trusted: that lasts", async () => {
    const server = await serve(ok, pki);
    const answer = await transportTo(accessTo(server.server, bearer)).send(post);
    expect(answer).toMatchObject({ kind: "notSent", lasting: true, detail: expect.stringContaining("certificate") });
    expect(server.received).toEqual([]);
  });

  test("where its certificate is for another name", async () => {
    const server = await serve(ok, pki);
    const access = { ...accessTo(server.server, bearer, pki.authority), serverName: "other" };
    expect(await transportTo(access).send(post)).toMatchObject({ kind: "notSent", lasting: true });
  });

  test("where it does not speak TLS", async () => {
    const server = await serve(ok);
    const access = accessTo(server.server.replace("http:", "https:"), bearer);
    expect(await transportTo(access).send(post)).toMatchObject({ kind: "notSent" });
    expect(server.received).toEqual([]);
  });

  test("where the handshake never ends", async () => {
    const silent = createServer((socket) => socket.on("error", () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const sockets = new Set<Socket>();
    silent.on("connection", (socket) => sockets.add(socket));
    ends.push(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const transport = transportTo(accessTo(`https://127.0.0.1:${port}`, bearer), { connectMs: 100 });
    expect(await transport.send(post)).toMatchObject({ kind: "notSent", lasting: false });
  });

  test("where a credential is missing: the plugin is named", async () => {
    const server = await serve(ok);
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1" as const,
      command: "no-such-plugin-anywhere",
      args: [],
      env: {},
      installHint: null,
      provideClusterInfo: false,
    };
    const answer = await transportTo(accessTo(server.server, { exec })).send(get);
    expect(answer).toMatchObject({
      kind: "notSent",
      lasting: true,
      detail: expect.stringContaining("no-such-plugin-anywhere"),
    });
  });

  test("where the user's certificate is none", async () => {
    const server = await serve(ok, pki);
    const certificate = {
      certificate: { kind: "data" as const, bytes: Buffer.from("no certificate") },
      key: { kind: "data" as const, bytes: Buffer.from("no key") },
    };
    const answer = await transportTo(accessTo(server.server, { certificate }, pki.authority)).send(get);
    expect(answer).toMatchObject({ kind: "notSent", lasting: true, detail: expect.not.stringContaining("no key") });
  });
});

describe("whether it had an effect nobody knows", () => {
  const swallow: Handler = (_request, response) => void response.socket?.destroy();

  test("when the server cuts the connection instead of answering", async () => {
    const server = await serve(swallow);
    const answer = await transportTo(accessTo(server.server, bearer)).send(post);
    expect(answer).toMatchObject({ kind: "lost", detail: expect.stringContaining("ECONNRESET") });
    expect(server.received).toHaveLength(1);
  });

  test("when no answer comes in time", async () => {
    const server = await serve(() => undefined);
    const answer = await transportTo(accessTo(server.server, bearer), { changeMs: 100 }).send(post);
    expect(answer).toMatchObject({ kind: "lost", detail: expect.stringContaining("no answer within 0.1 s") });
  });

  test("when the body stops in the middle, or stalls", async () => {
    const half: Handler = (request, response) => {
      response.writeHead(201, { "Content-Length": "100" }).write("{");
      if (request.url.endsWith("cut")) setImmediate(() => response.socket?.destroy());
    };
    const server = await serve(half);
    const transport = transportTo(accessTo(server.server, bearer), { changeMs: 150 });
    expect(await transport.send({ ...post, path: "/cut" })).toMatchObject({ kind: "lost" });
    expect(await transport.send({ ...post, path: "/stall" })).toMatchObject({ kind: "lost" });
  });

  test("also on a connection that had worked: a change is never sent twice, a read is", async () => {
    const server = await serve(ok);
    const transport = transportTo(accessTo(server.server, bearer));
    await transport.send(get);
    server.handler = (_request, response) => {
      server.handler = ok;
      response.socket?.destroy();
    };
    expect(await transport.send(post)).toMatchObject({ kind: "lost" });
    expect(server.received.filter(({ method }) => method === "POST")).toHaveLength(1);
    await transport.send(get);
    server.handler = (_request, response) => {
      server.handler = ok;
      response.socket?.destroy();
    };
    expect(await transport.send(get)).toMatchObject({ kind: "answered", status: 200 });
  });
});

describe("a 401", () => {
  let dir = "";
  const guard =
    (accepted: string): Handler =>
    (request, response) =>
      answerJson(response, request.headers.authorization === `Bearer ${accepted}` ? 200 : 401, {});

  test("looks for a new credential once", async () => {
    dir = mkdtempSync(join(tmpdir(), "token-"));
    ends.push(() => rmSync(dir, { recursive: true, force: true }));
    const path = join(dir, "token");
    writeFileSync(path, "old");
    const server = await serve(guard("old"));
    const transport = transportTo(accessTo(server.server, { token: { kind: "file", path } }));
    expect(await transport.send(get)).toMatchObject({ status: 200 });
    server.handler = guard("new");
    writeFileSync(path, "new");
    expect(await transport.send(post)).toMatchObject({ status: 200 });
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer old",
      "Bearer old",
      "Bearer new",
    ]);
  });

  test("is the answer when there is none", async () => {
    const server = await serve(guard("other"));
    expect(await transportTo(accessTo(server.server, bearer)).send(post)).toMatchObject({
      kind: "answered",
      status: 401,
    });
    expect(server.received).toHaveLength(1);
  });
});

test("the user's certificate is shown, and a new one makes a new connection", async () => {
  const dir = mkdtempSync(join(tmpdir(), "certificate-"));
  ends.push(() => rmSync(dir, { recursive: true, force: true }));
  const other = makePki();
  const write = (keys: Pki): void => {
    writeFileSync(join(dir, "crt"), keys.certificate);
    writeFileSync(join(dir, "key"), keys.key);
  };
  write(pki);
  const shown: string[] = [];
  const server = await serve(
    (_request, response) => {
      const socket = response.socket as unknown as { getPeerCertificate(): { fingerprint256?: string } };
      shown.push(socket.getPeerCertificate().fingerprint256 ?? "none");
      answerJson(response, 200, {});
    },
    pki,
    true,
  );
  const file = (name: string) => ({ kind: "file" as const, path: join(dir, name) });
  const access = accessTo(
    server.server,
    { certificate: { certificate: file("crt"), key: file("key") } },
    pki.authority,
  );
  let now = 0;
  const transport = new Transport(access, new Credentials(access, { env: {}, now: () => now }));
  ends.push(() => transport.close());
  await transport.send(get);
  await transport.send(get);
  write(other);
  now = 60_000;
  await transport.send(get);
  expect(shown[0]).toBe(shown[1]);
  expect(new Set(shown).size).toBe(2);
  expect(shown).not.toContain("none");
  expect(server.connections()).toBe(2);
});

describe("a stream", () => {
  async function drain(stream: Awaited<ReturnType<Transport["open"]>>): Promise<{ text: string; end: string }> {
    if (stream.kind !== "open") throw new Error(stream.kind);
    let text = "";
    for (;;) {
      const next = await stream.chunks.next();
      if (next.done === true) return { text, end: next.value };
      text += Buffer.from(next.value).toString("utf8");
    }
  }

  const write =
    (then: (response: Parameters<Handler>[1]) => void): Handler =>
    (_request, response) => {
      response.writeHead(200);
      response.write("one\n", () => then(response));
    };

  test.each([
    [
      "that the server ends",
      (response: Parameters<Handler>[1]) => void response.end("two\n"),
      "one\ntwo\n",
      "the server ended it",
    ],
    [
      "that is cut",
      (response: Parameters<Handler>[1]) => void response.socket?.destroy(),
      "one\n",
      "the connection was cut (ECONNRESET)",
    ],
    ["that falls silent", () => undefined, "one\n", "nothing came for 0.15 s"],
  ])("%s", async (_what, then, text, end) => {
    const server = await serve(write(then));
    const stream = await transportTo(accessTo(server.server, bearer)).open("/w", 150, createAbort().signal);
    expect(await drain(stream)).toEqual({ text, end });
  });

  test("is left at once when the signal aborts, or the reader goes", async () => {
    const server = await serve(write(() => undefined));
    const transport = transportTo(accessTo(server.server, bearer));
    const abort = createAbort();
    const stream = await transport.open("/w", 10_000, abort.signal);
    const draining = drain(stream);
    abort.abort();
    expect((await draining).text).toMatch(/^(one\n)?$/);
    const other = await transport.open("/w", 10_000, createAbort().signal);
    if (other.kind !== "open") throw new Error("not open");
    await other.chunks.next();
    await other.chunks.return("done");
  });

  test("that is refused comes back as an answer", async () => {
    const server = await serve((_request, response) => answerJson(response, 410, { reason: "Expired" }));
    const answer = await transportTo(accessTo(server.server, bearer)).open("/w", 1000, createAbort().signal);
    expect(answer).toMatchObject({ kind: "answered", status: 410 });
  });
});

test("no token, header or address of a credential is in anything that is told", async () => {
  const answers: Answer[] = [];
  const server = await serve((_request, response) => void response.socket?.destroy());
  const user: Partial<UserAccess> = {
    token: { kind: "data", bytes: Buffer.from(`${token}\nX: y`) },
    impersonate: { user: `${token}\r\n`, uid: null, groups: [], extra: {} },
  };
  answers.push(await transportTo(accessTo(server.server, bearer)).send(post));
  answers.push(await transportTo(accessTo(server.server, user)).send(post));
  answers.push(await transportTo(accessTo(server.server, { ...user, token: null })).send(post));
  answers.push(await transportTo(accessTo(server.server.replace("://", `://ada:${token}@`))).send(post));
  expect(answers.map(({ kind }) => kind)).not.toContain("answered");
  expect(JSON.stringify(answers)).not.toContain(token);
});
