/** The routes of the socket's API, as `openapi.json` describes them: which there are, and what each answers. */
import type { IncomingMessage } from "node:http";
import { insideCatalog, listCatalog, readCatalogFile } from "../catalog.ts";
import { fillInSecrets } from "../catalog-secrets.ts";
import type { AgentAnswer } from "../live-catalog.ts";
import type { Begun, Outcome, Turn } from "../turns.ts";
import type { Answer } from "./answer.ts";
import { readBody, refuse } from "./answer.ts";

/** What the API does to the supervisor that it belongs to. */
export interface Api {
  /** Of the catalog that is live now; null: none. */
  readonly catalogDir: string | null;
  /** A variable of the agent's own environment, which a catalog may refer to. */
  variable(name: string): string | undefined;
  beginTurn(): Begun;
  /** False when no such turn is in flight. */
  endTurn(id: string, outcome: Outcome): boolean;
  findTurn(id: string): Turn | null;
  /** What the agent says about a bundle; false when nothing waits for that. */
  answerBundle(answer: AgentAnswer): boolean;
  /** False when the declaration takes the health from elsewhere. */
  putHealth(ok: boolean, detail: string | null): boolean;
  /** Somebody has marked the instance: look at the record now. Nothing is concluded from the call itself. */
  poke(): void;
  /** Sends the events from now on to this answer; false when too many listen already. */
  listen(): boolean;
}

interface Route {
  readonly method: string;
  /** `{name}` is one part of the path, `{path*}` the rest of it. */
  readonly template: string;
  readonly handle: (api: Api, parts: readonly string[], request: IncomingMessage) => Answer | Promise<Answer>;
}

export const routes: readonly Route[] = [
  { method: "POST", template: "/v1/turns", handle: beginTurn },
  { method: "DELETE", template: "/v1/turns/{id}", handle: endTurn },
  { method: "GET", template: "/v1/turns/{id}/catalog", handle: (api, [id = ""]) => ofTurn(api, id, list) },
  {
    method: "GET",
    template: "/v1/turns/{id}/catalog/{path*}",
    handle: (api, [id = "", path = ""]) => ofTurn(api, id, (directory) => file(api, directory, path)),
  },
  { method: "GET", template: "/v1/catalog", handle: (api) => inDirectory(api.catalogDir, list) },
  {
    method: "GET",
    template: "/v1/catalog/{path*}",
    handle: (api, [path = ""]) => inDirectory(api.catalogDir, (directory) => file(api, directory, path)),
  },
  { method: "PUT", template: "/v1/catalog/answer", handle: answerBundle },
  { method: "PUT", template: "/v1/health", handle: putHealth },
  { method: "GET", template: "/v1/events", handle: events },
  { method: "POST", template: "/v1/stop", handle: poke },
];

/** Answers one request. Rejects only for defects. */
export async function answerRequest(api: Api, request: IncomingMessage): Promise<Answer> {
  const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
  const parts = decodeParts(path);
  if (parts === null) return refuse(400, "badPath", `the path ${path} cannot be decoded`, "percent-encode it as UTF-8");
  const here: string[] = [];
  for (const route of routes) {
    const values = match(route.template, parts);
    if (values === null) continue;
    if (route.method === request.method) return await route.handle(api, values, request);
    here.push(route.method);
  }
  if (here.length > 0)
    return {
      ...refuse(405, "methodNotAllowed", `${path} has no ${request.method ?? "such method"}`, `use ${here.join(", ")}`),
      allow: here,
    };
  return refuse(404, "noSuchRoute", `there is no ${path}`, "the API is described by openapi.json of @moorage/harness");
}

function decodeParts(path: string): string[] | null {
  try {
    return path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return null;
  }
}

function match(template: string, parts: readonly string[]): string[] | null {
  const wanted = template.split("/").slice(1);
  const values: string[] = [];
  for (const [index, part] of wanted.entries()) {
    if (part.endsWith("*}")) return parts.length > index ? [...values, parts.slice(index).join("/")] : null;
    const given = parts[index];
    if (given === undefined) return null;
    if (part.startsWith("{")) values.push(given);
    else if (part !== given) return null;
  }
  return parts.length === wanted.length ? values : null;
}

async function beginTurn(api: Api, _parts: readonly string[], request: IncomingMessage): Promise<Answer> {
  const body = await readBody(request);
  if (body.kind === "error") return body;
  const begun = api.beginTurn();
  switch (begun.kind) {
    case "begun":
      return { kind: "json", status: 201, body: turnBody(begun.turn) };
    case "draining":
      return refuse(
        409,
        "draining",
        "the agent is asked to end; no turn begins any more",
        "finish what is in flight and exit",
      );
    case "tooMany":
      return refuse(
        429,
        "tooManyTurns",
        `${begun.limit} turns are in flight, and no more may be`,
        "end each turn with DELETE /v1/turns/{id}",
      );
    default:
      return begun satisfies never;
  }
}

function turnBody({ id, catalog }: Turn): object {
  return { id, catalog: catalog?.directory ?? null, catalogHash: catalog?.hash ?? null };
}

async function endTurn(api: Api, [id = ""]: readonly string[], request: IncomingMessage): Promise<Answer> {
  const body = await readBody(request);
  if (body.kind === "error") return body;
  const outcome = readOutcome(body.value);
  if (outcome === null)
    return refuse(400, "badOutcome", "outcome must be succeeded or failed", 'send {"outcome":"succeeded"} or no body');
  return api.endTurn(id, outcome) ? { kind: "json", status: 200, body: { id, outcome } } : noSuchTurn(id);
}

function readOutcome(value: unknown): Outcome | null {
  if (value === undefined) return "succeeded";
  if (!isObject(value)) return null;
  const outcome = value["outcome"] ?? "succeeded";
  return outcome === "succeeded" || outcome === "failed" ? outcome : null;
}

function noSuchTurn(id: string): Answer {
  return refuse(404, "noSuchTurn", `no turn ${id} is in flight`, "begin one with POST /v1/turns");
}

async function ofTurn(api: Api, id: string, read: (directory: string) => Promise<Answer>): Promise<Answer> {
  const turn = api.findTurn(id);
  return turn === null ? noSuchTurn(id) : await inDirectory(turn.catalog?.directory ?? null, read);
}

async function inDirectory(directory: string | null, read: (directory: string) => Promise<Answer>): Promise<Answer> {
  return directory === null ? noCatalog() : await read(directory);
}

function noCatalog(): Answer {
  return refuse(404, "noCatalog", "this agent has no catalog", "declare one: `catalog: ./catalog`");
}

async function answerBundle(api: Api, _parts: readonly string[], request: IncomingMessage): Promise<Answer> {
  const body = await readBody(request);
  if (body.kind === "error") return body;
  const answer = readBundleAnswer(body.value);
  if (answer === null)
    return refuse(
      400,
      "badAnswer",
      "an answer needs digest (of the bundle) and answer (notNow or failed), and may have detail (text)",
      'send {"digest":"sha256:…","answer":"notNow"}',
    );
  if (api.answerBundle(answer)) return { kind: "json", status: 200, body: { heard: true } };
  return refuse(
    409,
    "notAwaited",
    `nothing waits for ${answer.answer} about ${answer.digest}`,
    "answer notNow before the next turn, and failed while the bundle is on trial",
  );
}

function readBundleAnswer(value: unknown): AgentAnswer | null {
  if (!isObject(value)) return null;
  const { digest, answer, detail = null } = value;
  if (typeof digest !== "string" || (answer !== "notNow" && answer !== "failed")) return null;
  if (detail !== null && typeof detail !== "string") return null;
  return { digest, answer, detail: readDetail(detail) };
}

async function list(directory: string): Promise<Answer> {
  return { kind: "json", status: 200, body: { files: await listCatalog(directory) } };
}

async function file(api: Api, directory: string, path: string): Promise<Answer> {
  if (insideCatalog(path) === null)
    return refuse(
      400,
      "badPath",
      "a path in the catalog has no empty part, no dots alone and no backslash",
      "name a file of the catalog",
    );
  const body = await readCatalogFile(directory, path);
  if (body === null)
    return refuse(404, "noSuchFile", `the catalog has no file ${path}`, "GET /v1/catalog lists what it has");
  const filled = fillInSecrets(path, body, (name) => api.variable(name));
  if (filled.kind === "missing")
    return refuse(
      409,
      "secretMissing",
      `${path} of the catalog refers to \${secret:${filled.name}}, and the agent has no ${filled.name}`,
      `declare ${filled.name} in the agent's secretEnv`,
    );
  return { kind: "bytes", body: filled.body };
}

async function putHealth(api: Api, _parts: readonly string[], request: IncomingMessage): Promise<Answer> {
  const body = await readBody(request);
  if (body.kind === "error") return body;
  const told = readHealth(body.value);
  if (told === null)
    return refuse(400, "badHealth", "health needs ok (true or false), and may have detail (text)", 'send {"ok":true}');
  return { kind: "json", status: 200, body: { used: api.putHealth(told.ok, told.detail) } };
}

const detailAtMost = 500;

function readHealth(value: unknown): { ok: boolean; detail: string | null } | null {
  if (!isObject(value) || typeof value["ok"] !== "boolean") return null;
  const detail = value["detail"] ?? null;
  if (detail !== null && typeof detail !== "string") return null;
  return { ok: value["ok"], detail: readDetail(detail) };
}

/** One line for people: it moves no cursor, clears no screen and turns no text around, wherever it is told. */
function readDetail(detail: string | null): string | null {
  const unsafe = /\p{Cc}\[[0-9;?]*[ -/]*[@-~]|[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;
  return detail === null ? null : detail.slice(0, detailAtMost).replace(unsafe, " ").trim();
}

function events(api: Api): Answer {
  if (api.listen()) return { kind: "stream" };
  return refuse(
    429,
    "tooManyListeners",
    "too many listen to the events already",
    "one event stream an agent is enough",
  );
}

async function poke(api: Api, _parts: readonly string[], request: IncomingMessage): Promise<Answer> {
  const body = await readBody(request);
  if (body.kind === "error") return body;
  api.poke();
  return { kind: "json", status: 202, body: { looking: true } };
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
