import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { turnsAtMost } from "../turns.ts";
import { routes } from "./routes.ts";
import type { Schema } from "./schema.fixture.ts";
import { mismatches } from "./schema.fixture.ts";
import type { Reply } from "./served.fixture.ts";
import { at, awaited, errorCode, Served } from "./served.fixture.ts";

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
let api: Served;

beforeEach(async () => {
  api = new Served();
  await api.start();
});
afterEach(() => api.clear());

interface Case {
  readonly title: string;
  readonly operation: readonly [method: string, path: string];
  readonly status: number;
  readonly code?: string;
  readonly target?: string;
  readonly body?: string;
  readonly prepare?: () => void | Promise<unknown>;
}

const openOne = (): Promise<Reply> => api.call("POST", "/v1/turns");
const withoutCatalog = async (): Promise<void> => {
  api.catalogDir = null;
  await openOne();
};
const large = JSON.stringify({ detail: "x".repeat(70_000) });
const item = ["get", "/v1/turns/{id}/catalog/{path}"] as const;
const listing = ["get", "/v1/turns/{id}/catalog"] as const;

const answering = ["put", "/v1/catalog/answer"] as const;
const about = (digest: string, answer: string): string => JSON.stringify({ digest, answer });

const cases: readonly Case[] = [
  { title: "begins a turn", operation: ["post", "/v1/turns"], status: 201 },
  {
    title: "refuses while draining",
    operation: ["post", "/v1/turns"],
    status: 409,
    code: "draining",
    prepare: () => api.turns.drain(),
  },
  {
    title: "bounds open turns",
    operation: ["post", "/v1/turns"],
    status: 429,
    code: "tooManyTurns",
    prepare: () => {
      for (let turn = 0; turn < turnsAtMost; turn += 1) api.turns.begin(0, at);
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
  {
    title: "knows no such variable in a turn",
    operation: item,
    status: 409,
    code: "secretMissing",
    prepare: openOne,
    target: "/v1/turns/t1/catalog/refers.md",
  },
  {
    title: "knows no such variable",
    operation: ["get", "/v1/catalog/{path}"],
    status: 409,
    code: "secretMissing",
    target: "/v1/catalog/refers.md",
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
  { title: "hears an answer about a bundle", operation: answering, status: 200, body: about(awaited, "notNow") },
  {
    title: "refuses an answer that nothing waits for",
    operation: answering,
    status: 409,
    code: "notAwaited",
    body: about("sha256:other", "failed"),
  },
  {
    title: "refuses another answer",
    operation: answering,
    status: 400,
    code: "badAnswer",
    body: about(awaited, "later"),
  },
  {
    title: "refuses a detail that is no text",
    operation: answering,
    status: 400,
    code: "badAnswer",
    body: JSON.stringify({ digest: awaited, answer: "failed", detail: 7 }),
  },
  { title: "bounds an answer", operation: answering, status: 413, code: "bodyTooLarge", body: large },
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
    prepare: async () => await Promise.all(Array.from({ length: 32 }, () => api.listen("listening"))),
  },
];

describe("the API answers as its document says", () => {
  for (const { title, operation, status, code, target, body, prepare } of cases) {
    const [method, template] = operation;
    it(`${method} ${template} ${status}: ${title}`, async () => {
      await prepare?.();
      const given = target ?? template.replace("{id}", "t1").replace("{path}", "prompts/sy%20stem.md");
      const reply = await api.call(method.toUpperCase(), given, body);
      expect(reply.status).toBe(status);
      const described = document.paths[template]?.[method]?.responses[status]?.content ?? {};
      const type = reply.headers["content-type"] ?? "";
      expect(Object.keys(described)).toEqual([type]);
      if (type === "application/json")
        expect(mismatches(JSON.parse(reply.body), described[type]?.schema ?? {}, document.components.schemas)).toEqual(
          [],
        );
      else expect(reply.body).toBe("be kind");
      if (code !== undefined) expect(errorCode(reply.body)).toBe(code);
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

it("the errors for what is no call, and the events, are as described too", async () => {
  const { schemas } = document.components;
  for (const target of ["/", "/v1/turns", "/v1/%ff"]) {
    const reply = await api.call("GET", target);
    expect(mismatches(JSON.parse(reply.body), { $ref: "#/components/schemas/Error" }, schemas)).toEqual([]);
  }
  api.server.announceDrain({ since: at, drainMs: 30_000 });
  const { headers, body } = await api.listen("event: drain");
  expect(headers["content-type"]).toBe("text/event-stream");
  expect(mismatches(dataOf(body, "drain"), { $ref: "#/components/schemas/Drain" }, schemas)).toEqual([]);
  const bundle = { digest: awaited, sequence: 2, catalogHash: "v1:sha256:0", directory: "/copy" };
  api.staged = bundle;
  const later = await api.listen("event: staged");
  expect(dataOf(later.body, "staged")).toEqual(bundle);
  const switched = api.listen("event: switched");
  while (api.told.filter((each) => each === "listener").length < 3) await new Promise(setImmediate);
  api.server.announceBundle("switched", bundle);
  const data = dataOf((await switched).body, "switched");
  expect(mismatches(data, { $ref: "#/components/schemas/Bundle" }, schemas)).toEqual([]);
});

function dataOf(stream: string, event: string): unknown {
  return JSON.parse(new RegExp(`^event: ${event}\ndata: (.*)$`, "m").exec(stream)?.[1] ?? "null");
}
