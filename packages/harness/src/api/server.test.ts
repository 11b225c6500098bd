import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import http from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Turns, turnsAtMost } from "../turns.ts";
import { routes } from "./routes.ts";
import type { Schema } from "./schema.fixture.ts";
import { mismatches } from "./schema.fixture.ts";
import type { ApiServer } from "./server.ts";
import { serveApi } from "./server.ts";

interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

interface Operation {
  readonly responses: {
    readonly [status: string]: { readonly content: { readonly [type: string]: { schema: Schema } } };
  };
}
interface Document {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly schemas: { readonly [name: string]: Schema } };
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, "../../openapi.json"), "utf8")) as Document;
const at = "2026-01-31T12:00:00.000Z";

let directory: string;
let path: string;
let server: ApiServer;
let turns: Turns;
let catalogDir: string | null;
let healthFromSocket: boolean;
let told: unknown[];
let streams: http.ClientRequest[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "api-"));
  mkdirSync(join(directory, "catalog", "prompts"), { recursive: true });
  writeFileSync(join(directory, "catalog", "prompts", "sy stem.md"), "be kind");
  writeFileSync(join(directory, "secret"), "not yours");
  path = join(directory, "run", "socket");
  turns = new Turns(0);
  catalogDir = join(directory, "catalog");
  healthFromSocket = true;
  told = [];
  streams = [];
  server = await serveApi(
    {
      get catalogDir() {
        return catalogDir;
      },
      beginTurn: () => turns.begin(0, at),
      endTurn: (id, outcome) => turns.end(id, outcome, 1, at),
      hasTurn: (id) => turns.has(id),
      putHealth: (ok, detail) => {
        told.push({ ok, detail });
        return healthFromSocket;
      },
      poke: () => void told.push("poke"),
      onListener: () => void told.push("listener"),
    },
    path,
  );
});

afterEach(() => {
  for (const stream of streams) stream.destroy();
  server.close();
  rmSync(directory, { recursive: true });
});

async function call(method: string, target: string, body?: string): Promise<Reply> {
  return await new Promise<Reply>((resolve, reject) => {
    // Node adds no length of its own to the body of a DELETE.
    const headers = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
    const request = http.request({ socketPath: path, method, path: target, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** The first answer of an event stream, and what came of it until `until` is in it. */
async function listen(until: string): Promise<Reply> {
  return await new Promise<Reply>((resolve, reject) => {
    const request = http.request({ socketPath: path, path: "/v1/events", agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
        if (body.includes(until)) resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
      response.on("error", () => undefined);
    });
    streams.push(request);
    request.on("error", reject);
    request.end();
  });
}

function errorCode(reply: Reply): unknown {
  return (JSON.parse(reply.body) as { code?: unknown }).code;
}

interface Case {
  readonly title: string;
  readonly operation: readonly [method: string, path: string];
  readonly status: number;
  readonly code?: string;
  readonly target?: string;
  readonly body?: string;
  readonly prepare?: () => void | Promise<unknown>;
}

const openOne = (): Promise<Reply> => call("POST", "/v1/turns");
const withoutCatalog = async (): Promise<void> => {
  await openOne();
  catalogDir = null;
};
const large = JSON.stringify({ detail: "x".repeat(70_000) });
const item = ["get", "/v1/turns/{id}/catalog/{path}"] as const;
const listing = ["get", "/v1/turns/{id}/catalog"] as const;

const cases: readonly Case[] = [
  { title: "begins a turn", operation: ["post", "/v1/turns"], status: 201 },
  {
    title: "refuses while draining",
    operation: ["post", "/v1/turns"],
    status: 409,
    code: "draining",
    prepare: () => turns.drain(),
  },
  {
    title: "bounds open turns",
    operation: ["post", "/v1/turns"],
    status: 429,
    code: "tooManyTurns",
    prepare: () => {
      for (let turn = 0; turn < turnsAtMost; turn += 1) turns.begin(0, at);
    },
  },
  { title: "bounds a body", operation: ["post", "/v1/turns"], status: 413, code: "bodyTooLarge", body: large },
  { title: "ends a turn", operation: ["delete", "/v1/turns/{id}"], status: 200, prepare: openOne },
  {
    title: "ends a failed turn",
    operation: ["delete", "/v1/turns/{id}"],
    status: 200,
    prepare: openOne,
    body: '{"outcome":"failed"}',
  },
  {
    title: "refuses what is no JSON",
    operation: ["delete", "/v1/turns/{id}"],
    status: 400,
    code: "notJson",
    prepare: openOne,
    body: "{",
  },
  {
    title: "refuses an outcome",
    operation: ["delete", "/v1/turns/{id}"],
    status: 400,
    code: "badOutcome",
    prepare: openOne,
    body: '{"outcome":"maybe"}',
  },
  {
    title: "refuses a list",
    operation: ["delete", "/v1/turns/{id}"],
    status: 400,
    code: "badOutcome",
    prepare: openOne,
    body: "[]",
  },
  { title: "does not know a turn", operation: ["delete", "/v1/turns/{id}"], status: 404, code: "noSuchTurn" },
  {
    title: "bounds an end's body",
    operation: ["delete", "/v1/turns/{id}"],
    status: 413,
    code: "bodyTooLarge",
    prepare: openOne,
    body: large,
  },
  { title: "lists a turn's catalog", operation: listing, status: 200, prepare: openOne },
  { title: "lists nothing for no turn", operation: listing, status: 404, code: "noSuchTurn" },
  {
    title: "lists nothing without a catalog",
    operation: listing,
    status: 404,
    code: "noCatalog",
    prepare: withoutCatalog,
  },
  { title: "reads a file in a turn", operation: item, status: 200, prepare: openOne },
  { title: "reads nothing for no turn", operation: item, status: 404, code: "noSuchTurn" },
  {
    title: "does not know a file",
    operation: item,
    status: 404,
    code: "noSuchFile",
    prepare: openOne,
    target: "/v1/turns/t1/catalog/none",
  },
  ...[
    "../secret",
    "..%2fsecret",
    "prompts/..%2F..%2Fsecret",
    "%2e%2e/secret",
    "/etc/passwd",
    ".",
    "a%00b",
    "a%5c..%5cb",
    "",
  ].map(
    (bad): Case => ({
      title: `refuses the path ${JSON.stringify(bad)}`,
      operation: item,
      status: 400,
      code: "badPath",
      prepare: openOne,
      target: `/v1/turns/t1/catalog/${bad}`,
    }),
  ),
  { title: "lists the catalog", operation: ["get", "/v1/catalog"], status: 200 },
  {
    title: "has no catalog",
    operation: ["get", "/v1/catalog"],
    status: 404,
    code: "noCatalog",
    prepare: withoutCatalog,
  },
  { title: "reads a file", operation: ["get", "/v1/catalog/{path}"], status: 200 },
  {
    title: "refuses a path",
    operation: ["get", "/v1/catalog/{path}"],
    status: 400,
    code: "badPath",
    target: "/v1/catalog/../secret",
  },
  {
    title: "reads no directory",
    operation: ["get", "/v1/catalog/{path}"],
    status: 404,
    code: "noSuchFile",
    target: "/v1/catalog/prompts",
  },
  { title: "hears health", operation: ["put", "/v1/health"], status: 200, body: '{"ok":false,"detail":"no answer"}' },
  { title: "refuses no health", operation: ["put", "/v1/health"], status: 400, code: "badHealth" },
  {
    title: "refuses health in words",
    operation: ["put", "/v1/health"],
    status: 400,
    code: "badHealth",
    body: '{"ok":"yes"}',
  },
  { title: "refuses what is no JSON", operation: ["put", "/v1/health"], status: 400, code: "notJson", body: "ok" },
  { title: "bounds health", operation: ["put", "/v1/health"], status: 413, code: "bodyTooLarge", body: large },
  { title: "looks at the record", operation: ["post", "/v1/stop"], status: 202 },
  { title: "bounds a poke", operation: ["post", "/v1/stop"], status: 413, code: "bodyTooLarge", body: large },
  {
    title: "bounds listeners",
    operation: ["get", "/v1/events"],
    status: 429,
    code: "tooManyListeners",
    prepare: async () => await Promise.all(Array.from({ length: 32 }, () => listen("listening"))),
  },
];

describe("the API answers as its document says", () => {
  for (const { title, operation, status, code, target, body, prepare } of cases) {
    const [method, template] = operation;
    it(`${method} ${template} ${status}: ${title}`, async () => {
      await prepare?.();
      const given = target ?? template.replace("{id}", "t1").replace("{path}", "prompts/sy%20stem.md");
      const reply = await call(method.toUpperCase(), given, body);
      expect(reply.status).toBe(status);
      const described = document.paths[template]?.[method]?.responses[status]?.content ?? {};
      const type = reply.headers["content-type"] ?? "";
      expect(Object.keys(described)).toEqual([type]);
      if (type === "application/json")
        expect(mismatches(JSON.parse(reply.body), described[type]?.schema ?? {}, document.components.schemas)).toEqual(
          [],
        );
      else expect(reply.body).toBe("be kind");
      if (code !== undefined) expect(errorCode(reply)).toBe(code);
    });
  }

  it("and its document says nothing else", () => {
    const described = Object.entries(document.paths).flatMap(([template, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${template}`),
    );
    expect(routes.map(({ method, template }) => `${method} ${template.replace("*}", "}")}`)).toEqual(described);
    const promised = Object.entries(document.paths).flatMap(([template, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.keys(responses).map((status) => `${method} ${template} ${status}`),
      ),
    );
    const driven = new Set(cases.map(({ operation, status }) => `${operation.join(" ")} ${status}`));
    expect(promised.filter((each) => !driven.has(each))).toEqual(["get /v1/events 200"]);
  });
});

describe("events", () => {
  it("tell a drain to those who listen and to those who come later", async () => {
    const drain = { since: at, drainMs: 30_000 };
    const first = listen("event: drain");
    await listen("listening");
    await waitFor(() => told.length === 2);
    server.announceDrain(drain);
    for (const reply of [await first, await listen("event: drain")]) {
      expect(reply.headers["content-type"]).toBe("text/event-stream");
      expect(reply.body).toBe(`: listening\n\nevent: drain\ndata: ${JSON.stringify(drain)}\n\n`);
    }
    expect(mismatches(drain, document.components.schemas["Drain"] ?? {}, document.components.schemas)).toEqual([]);
  });
});

describe("what is not an API call", () => {
  it.each([
    ["GET", "/", 404, "noSuchRoute"],
    ["GET", "/v2/turns", 404, "noSuchRoute"],
    ["GET", "/v1/turns/t1/nothing", 404, "noSuchRoute"],
    ["GET", "/v1/turns", 405, "methodNotAllowed"],
    ["PATCH", "/v1/turns/t1", 405, "methodNotAllowed"],
    ["GET", "/v1/%ff", 400, "badPath"],
  ])("%s %s → %i %s", async (method, target, status, code) => {
    const reply = await call(method, target);
    expect([reply.status, errorCode(reply)]).toEqual([status, code]);
    expect(
      mismatches(JSON.parse(reply.body), { $ref: "#/components/schemas/Error" }, document.components.schemas),
    ).toEqual([]);
  });

  it("names the methods that a path has", async () => {
    expect((await call("PATCH", "/v1/turns/t1")).headers["allow"]).toBe("DELETE");
  });

  it.each([
    ["HELLO\r\n\r\n", 400, "badRequest"],
    [`GET /v1/turns HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431, "headersTooLarge"],
  ])("%.12j… → %i %s", async (text, status, code) => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(path, () => socket.write(text));
      let all = "";
      socket.setEncoding("utf8").on("data", (part: string) => (all += part));
      socket.on("end", () => resolve(all)).on("error", reject);
    });
    expect(answer.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
    expect(errorCode({ status, headers: {}, body: answer.split("\r\n\r\n")[1] ?? "" })).toBe(code);
  });
});

describe("the socket", () => {
  it("is for its owner alone, in a directory that is made", () => {
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, "run")).mode & 0o777).toBe(0o700);
  });

  it("is made again when it and its directory were cleaned away", async () => {
    const id = (JSON.parse((await openOne()).body) as { id: string }).id;
    rmSync(join(directory, "run"), { recursive: true });
    await Promise.all([server.check(), server.check()]);
    expect((await call("DELETE", `/v1/turns/${id}`)).status).toBe(200);
  });

  it("replaces a stale file", async () => {
    rmSync(path);
    writeFileSync(path, "stale");
    await server.check();
    expect((await openOne()).status).toBe(201);
  });

  it("keeps those who listen while it is made again", async () => {
    const drained = listen("event: drain");
    await waitFor(() => told.includes("listener"));
    rmSync(path);
    await server.check();
    server.announceDrain({ since: at, drainMs: 0 });
    expect((await drained).body).toContain("event: drain");
  });

  it("is left alone while it is there", async () => {
    const before = statSync(path).ino;
    await server.check();
    expect(statSync(path).ino).toBe(before);
  });

  it("that cannot be made is an error that names it", async () => {
    const bad = join(directory, "secret", "socket");
    const api = { catalogDir: null } as unknown as Parameters<typeof serveApi>[0];
    await expect(serveApi(api, bad)).rejects.toThrow(`the socket ${bad} cannot be made`);
  });

  it("is gone after the close", () => {
    server.close();
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });
});

async function waitFor(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error("it did not become so within 5 s");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
