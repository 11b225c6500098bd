import type { Hint, Identity, InstanceSpec, Inventory, SecretSpec, Substrate } from "@moorage/core";
import { createAbort, instanceMarks, parseIdentity, secretMarks } from "@moorage/core";
import { afterEach, describe, expect, test } from "vitest";
import { Credentials } from "./credentials.ts";
import type { Handler, MisbehavingServer } from "./misbehaving-server.fixture.ts";
import { accessTo, answerJson, evenRandom, realClock, startServer } from "./misbehaving-server.fixture.ts";
import { podTemplate } from "./pod-defaults.ts";
import { mooragePods } from "./pod-profile.ts";
import { createSubstrate } from "./substrate.ts";
import { Transport, transportLimits } from "./transport.ts";

const identity = parseIdentity("0123456789abcdef".repeat(4)) as Identity;
const name = "moorage-0123456789ab";
const fence = { uid: "u1", resourceVersion: "7" };
const ends: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function on(handler: Handler): Promise<{ server: MisbehavingServer; substrate: Substrate & Inventory }> {
  const server = await startServer(handler);
  const access = accessTo(server.server, { token: { kind: "data", bytes: Buffer.from("secret-token") } });
  const credentials = new Credentials(access, { env: {}, now: () => 0 });
  const transport = new Transport(access, credentials, { ...transportLimits, readMs: 400, changeMs: 400 });
  ends.push(() => server.end());
  ends.push(() => transport.close());
  const common = { transport, profile: mooragePods, clock: realClock, random: evenRandom };
  return {
    server,
    substrate: createSubstrate({ ...common, namespace: "team", context: "near", server: access.server }),
  };
}

const pod = (version = "7"): object => ({
  metadata: {
    name,
    namespace: "team",
    uid: "u1",
    resourceVersion: version,
    ...instanceMarks(mooragePods, identity, `m1:${"0".repeat(64)}`, { name: "scribe" }),
  },
  spec: { containers: [{ name: "agent" }] },
  status: {
    phase: "Running",
    containerStatuses: [{ name: "agent", state: { running: { startedAt: "2026-01-01T00:00:00Z" } } }],
  },
});

const status = (code: number, reason: string, more: object = {}): Handler => {
  return (_request, response) =>
    answerJson(response, code, {
      kind: "Status",
      status: "Failure",
      code,
      reason,
      message: `it says ${reason}`,
      ...more,
    });
};

const instance: InstanceSpec = {
  name,
  secret: `${name}-0011223344556677`,
  template: podTemplate({
    name: "scribe",
    fleet: "scribe",
    image: "registry.example/a@sha256:0",
    env: {},
    secretKeys: ["KEY"],
  }),
  ...instanceMarks(mooragePods, identity, `m1:${"0".repeat(64)}`, {}),
};
const secret: SecretSpec = {
  name: instance.secret,
  data: new Map([["KEY", "value ä"]]),
  ...secretMarks(mooragePods, identity, 600),
};

describe("reads", () => {
  test("a list is most recent, by the label, and its version is what a follow may start from", async () => {
    const { server, substrate } = await on((_request, response) =>
      answerJson(response, 200, { metadata: { resourceVersion: "42" }, items: [pod()] }),
    );
    expect(await substrate.readInstances(identity)).toMatchObject({
      kind: "read",
      version: "42",
      instances: [{ name, fence, evidence: { container: { state: "running" } } }],
    });
    const url = new URL(server.received[0]?.url ?? "", "http://x");
    expect(url.pathname).toBe("/api/v1/namespaces/team/pods");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      labelSelector: "moorage.dev/agent=0123456789abcdef0123456789abcdef",
    });
  });

  test("the scope is read by the marker", async () => {
    const { server, substrate } = await on((_request, response) =>
      answerJson(response, 200, { metadata: { resourceVersion: "42" }, items: [] }),
    );
    expect(await substrate.readScope()).toEqual({ kind: "read", version: "42", instances: [] });
    expect(new URL(server.received[0]?.url ?? "", "http://x").searchParams.get("labelSelector")).toBe(
      "app.kubernetes.io/managed-by=moorage,moorage.dev/binding-version=1",
    );
  });

  test.each([
    [
      "429, with its time",
      (_: unknown, response: Parameters<Handler>[1]) => answerJson(response, 429, {}, { "Retry-After": "2" }),
      2000,
    ],
    ["500", status(500, "InternalError"), null],
    ["no answer", () => undefined, null],
    ["a cut", (_: unknown, response: Parameters<Handler>[1]) => void response.socket?.destroy(), null],
    [
      "half an answer",
      (_: unknown, response: Parameters<Handler>[1]) =>
        void response.writeHead(200, { "Content-Length": "9" }).end("{", () => response.socket?.destroy()),
      null,
    ],
    [
      "a page of something in between",
      (_: unknown, response: Parameters<Handler>[1]) => void response.end("<html>"),
      null,
    ],
  ])("%s says nothing about the world", async (_what, handler, retryAfterMs) => {
    const { substrate } = await on(handler);
    for (const answer of [
      await substrate.readInstances(identity),
      await substrate.readName(name),
      await substrate.secretExists("s"),
    ])
      expect(answer).toMatchObject({ kind: "unavailable", retryAfterMs });
  });

  test("absent is told apart from everything else that is a 404", async () => {
    const { server, substrate } = await on(status(404, "NotFound", { details: { kind: "pods", name } }));
    expect(await substrate.readName(name)).toEqual({ kind: "absent" });
    expect(await substrate.secretExists("s")).toEqual({ kind: "absent" });
    server.handler = (_request, response) => void response.writeHead(404).end("no such page");
    expect((await substrate.readName(name)).kind).not.toBe("absent");
    expect((await substrate.secretExists("s")).kind).not.toBe("absent");
  });

  test("of Secrets only the metadata travels, with the server's own time", async () => {
    const { server, substrate } = await on((_request, response) =>
      answerJson(
        response,
        200,
        {
          metadata: {},
          items: [
            {
              metadata: {
                name: secret.name,
                ...fence,
                labels: {},
                annotations: {},
                creationTimestamp: "2026-01-01T00:00:00Z",
              },
            },
          ],
        },
        { Date: "Thu, 01 Jan 2026 00:01:00 GMT" },
      ),
    );
    expect(await substrate.listSecrets(identity)).toEqual({
      kind: "read",
      serverTime: Date.UTC(2026, 0, 1, 0, 1),
      secrets: [{ name: secret.name, fence, labels: {}, annotations: {}, createdAt: Date.UTC(2026, 0, 1) }],
    });
    await substrate.secretExists(secret.name);
    for (const { headers } of server.received) expect(headers.accept).toContain("as=PartialObjectMetadata");
  });
});

describe("creates", () => {
  test("a Secret is immutable, and comes back without its values", async () => {
    const { server, substrate } = await on((_request, response) =>
      answerJson(response, 201, { metadata: { name: secret.name, ...fence } }),
    );
    expect(await substrate.createSecret(secret)).toEqual({ kind: "created", fence });
    expect(JSON.parse(server.received[0]?.body ?? "")).toMatchObject({
      kind: "Secret",
      immutable: true,
      metadata: { name: secret.name, labels: secret.labels, annotations: secret.annotations },
      stringData: { KEY: "value ä" },
    });
    expect(server.received[0]?.headers.accept).toContain("PartialObjectMetadata");
  });

  test.each([
    ["201", (_: unknown, response: Parameters<Handler>[1]) => answerJson(response, 201, pod()), { kind: "created" }],
    ["the name is taken", status(409, "AlreadyExists"), { kind: "alreadyExists" }],
    ["a conflict on a quota, which is no taken name", status(409, "Conflict"), { kind: "unavailable" }],
    [
      "the namespace is missing",
      status(404, "NotFound", { details: { kind: "namespaces", name: "team" } }),
      { kind: "scopeMissing" },
    ],
    ["429: nothing was done", status(429, "TooManyRequests"), { kind: "unavailable" }],
    ["500: nobody knows", status(500, "InternalError"), { kind: "unknownOutcome" }],
    ["504: nobody knows", status(504, "Timeout"), { kind: "unknownOutcome" }],
    [
      "the answer is swallowed: nobody knows",
      (_: unknown, response: Parameters<Handler>[1]) => void response.socket?.destroy(),
      { kind: "unknownOutcome" },
    ],
    ["no answer in time: nobody knows", () => undefined, { kind: "unknownOutcome" }],
    ["a 403 of an unknown kind stops", status(403, "Forbidden"), { kind: "refused" }],
  ])("%s", async (_what, handler, answer) => {
    const { server, substrate } = await on(handler);
    expect(await substrate.createInstance(instance)).toMatchObject(answer);
    expect(server.received).toHaveLength(1);
  });

  test("nothing listens: certain that nothing was done", async () => {
    const { server, substrate } = await on(() => undefined);
    await server.end();
    ends.shift();
    expect(await substrate.createInstance(instance)).toMatchObject({ kind: "unavailable" });
  });
});

describe("deletes", () => {
  test("carry UID and version, and leave the grace to the object", async () => {
    const { server, substrate } = await on((_request, response) => answerJson(response, 200, pod()));
    expect(await substrate.deleteInstance(name, fence)).toEqual({ kind: "accepted" });
    expect(await substrate.deleteSecret(secret.name, fence)).toEqual({ kind: "accepted" });
    for (const { method, body } of server.received) {
      expect(method).toBe("DELETE");
      expect(JSON.parse(body)).toEqual({ kind: "DeleteOptions", apiVersion: "v1", preconditions: fence });
    }
  });

  test.each([
    ["gone", status(404, "NotFound", { details: { kind: "pods" } }), { kind: "notFound" }],
    ["a fence that does not fit", status(409, "Conflict"), { kind: "conflict" }],
    ["429", status(429, "TooManyRequests"), { kind: "unavailable" }],
    ["503", status(503, "ServiceUnavailable"), { kind: "unknownOutcome" }],
    [
      "a cut",
      (_: unknown, response: Parameters<Handler>[1]) => void response.socket?.destroy(),
      { kind: "unknownOutcome" },
    ],
  ])("%s", async (_what, handler, answer) => {
    const { substrate } = await on(handler);
    expect(await substrate.deleteInstance(name, fence)).toMatchObject(answer);
  });
});

describe("the namespace", () => {
  test.each([
    [
      "is made",
      (_: unknown, response: Parameters<Handler>[1]) => answerJson(response, 201, { metadata: {} }),
      { kind: "ready" },
    ],
    ["is there by now", status(409, "AlreadyExists"), { kind: "ready" }],
    [
      "may not be made: the command is told",
      status(403, "Forbidden", {
        message:
          'namespaces is forbidden: User "ada" cannot create resource "namespaces" in API group "" at the cluster scope',
        details: { kind: "namespaces" },
      }),
      { kind: "refused", refusal: { kind: "scopeAbsent", command: "kubectl --context near create namespace team" } },
    ],
    ["cannot be made now", status(503, "ServiceUnavailable"), { kind: "unavailable" }],
  ])("%s", async (_what, handler, answer) => {
    const { substrate } = await on(handler);
    expect(await substrate.ensureScope()).toMatchObject(answer);
  });
});

describe("a follow", () => {
  async function follow(handler: Handler, hints: number): Promise<Hint[]> {
    const { substrate } = await on(handler);
    const abort = createAbort();
    const told: Hint[] = [];
    for await (const hint of substrate.follow(identity, "41", abort.signal)) {
      told.push(hint);
      if (told.length === hints) break;
    }
    abort.abort();
    return told;
  }
  const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

  test("starts where it is told to, tells changes and removals, and is over when the stream is", async () => {
    let url = "";
    const told = await follow((request, response) => {
      url = request.url;
      response.end(
        line("MODIFIED", pod("43")) +
          line("BOOKMARK", { metadata: { resourceVersion: "44" } }) +
          line("DELETED", pod("45")),
      );
    }, 9);
    expect(told).toMatchObject([
      { kind: "changed", instance: { fence: { resourceVersion: "43" } } },
      { kind: "removed", last: { fence: { resourceVersion: "45" } } },
      { kind: "over" },
    ]);
    expect(Object.fromEntries(new URL(url, "http://x").searchParams)).toMatchObject({
      watch: "true",
      resourceVersion: "41",
      allowWatchBookmarks: "true",
      labelSelector: "moorage.dev/agent=0123456789abcdef0123456789abcdef",
    });
  });

  test.each([
    ["410 as an answer", status(410, "Expired")],
    [
      "410 as an event",
      (_: unknown, response: Parameters<Handler>[1]) =>
        void response.end(line("ERROR", { code: 410, reason: "Expired" })),
    ],
    ["500", status(500, "InternalError")],
    ["a cut", (_: unknown, response: Parameters<Handler>[1]) => void response.socket?.destroy()],
  ])("%s: over, read again", async (_what, handler) => {
    expect(await follow(handler, 9)).toEqual([{ kind: "over", detail: expect.any(String), retryAfterMs: null }]);
  });

  test("429: over, with the time that the server asks for", async () => {
    const handler: Handler = (_request, response) => answerJson(response, 429, {}, { "Retry-After": "3" });
    expect(await follow(handler, 9)).toMatchObject([{ kind: "over", retryAfterMs: 3000 }]);
  });

  test("ends without a word when it is aborted", async () => {
    const { substrate } = await on((_request, response) => void response.write("\n"));
    const abort = createAbort();
    const hints = substrate.follow(identity, "41", abort.signal)[Symbol.asyncIterator]();
    const next = hints.next();
    abort.abort();
    expect(await next).toMatchObject({ done: true });
  });
});

test("no value of a Secret and no token is in any answer, whatever the server echoes", async () => {
  const { substrate, server } = await on((request, response) =>
    answerJson(response, 422, { reason: "Invalid", message: `bad: ${request.body} Bearer secret-token` }),
  );
  const answers = [await substrate.createSecret(secret)];
  server.handler = (_request, response) => void response.socket?.destroy();
  answers.push(await substrate.createSecret(secret));
  // A webhook may echo anything it was sent.
  const told = JSON.stringify(answers);
  expect(told).not.toContain("secret-token");
  expect(told).not.toContain("value ä");
});

test("whoever refuses the pod may echo its Secret as well, cut in the middle of a value", async () => {
  for (const before of [0, 700, 790, 795]) {
    const said = `${"z".repeat(before)}value ä`;
    const { substrate } = await on((request, response) =>
      request.url.includes("/pods")
        ? answerJson(response, 422, { reason: "Invalid", message: said })
        : answerJson(response, 201, { metadata: { name: "s", uid: "u", resourceVersion: "1" } }),
    );
    await substrate.createSecret(secret);
    const told = JSON.stringify(await substrate.createInstance(instance));
    expect(told).toContain("refused");
    expect(told).not.toContain("valu");
  }
});
