import { rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { at, awaited, errorCode, Served } from "./served.fixture.ts";
import { serveApi } from "./server.ts";

let api: Served;

beforeEach(async () => {
  api = new Served();
  await api.start();
});
afterEach(() => api.clear());

describe("events", () => {
  it("tell a drain to those who listen and to those who come later", async () => {
    const drain = { since: at, drainMs: 30_000 };
    const first = api.listen("event: drain");
    await api.listen("listening");
    await waitFor(() => api.told.length === 2);
    api.server.announceDrain(drain);
    for (const reply of [await first, await api.listen("event: drain")]) {
      expect(reply.headers["content-type"]).toBe("text/event-stream");
      expect(reply.body).toBe(`: listening\n\nevent: drain\ndata: ${JSON.stringify(drain)}\n\n`);
    }
  });
});

it("hears of a detail one harmless line", async () => {
  const detail = "no\u001b[2J\u009b31m answer\r\n\u202e of\u0007 it";
  await api.call("PUT", "/v1/health", JSON.stringify({ ok: false, detail }));
  await api.call("PUT", "/v1/catalog/answer", JSON.stringify({ digest: awaited, answer: "failed", detail }));
  expect(api.told).toMatchObject([{ detail: "no  31m answer  of  it" }, { detail: "no  31m answer  of  it" }]);
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
    const reply = await api.call(method, target);
    expect([reply.status, errorCode(reply.body)]).toEqual([status, code]);
  });

  it("names the methods that a path has", async () => {
    expect((await api.call("PATCH", "/v1/turns/t1")).headers["allow"]).toBe("DELETE");
  });

  it.each([
    ["HELLO\r\n\r\n", 400, "badRequest"],
    [`GET /v1/turns HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431, "headersTooLarge"],
  ])("%.12j… → %i %s", async (text, status, code) => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(api.path, () => socket.write(text));
      let all = "";
      socket.setEncoding("utf8").on("data", (part: string) => (all += part));
      socket.on("end", () => resolve(all)).on("error", reject);
    });
    expect(answer.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
    expect(errorCode(answer.split("\r\n\r\n")[1] ?? "")).toBe(code);
  });
});

describe("the socket", () => {
  it("is for its owner alone, in a directory that is made", () => {
    expect(statSync(api.path).mode & 0o777).toBe(0o600);
    expect(statSync(join(api.directory, "run")).mode & 0o777).toBe(0o700);
  });

  it("is made again when it and its directory were cleaned away", async () => {
    const id = (JSON.parse((await api.call("POST", "/v1/turns")).body) as { id: string }).id;
    rmSync(join(api.directory, "run"), { recursive: true });
    await Promise.all([api.server.check(), api.server.check()]);
    expect((await api.call("DELETE", `/v1/turns/${id}`)).status).toBe(200);
  });

  it("replaces a stale file", async () => {
    rmSync(api.path);
    writeFileSync(api.path, "stale");
    await api.server.check();
    expect((await api.call("POST", "/v1/turns")).status).toBe(201);
  });

  it("keeps those who listen while it is made again", async () => {
    const drained = api.listen("event: drain");
    await waitFor(() => api.told.includes("listener"));
    rmSync(api.path);
    await api.server.check();
    api.server.announceDrain({ since: at, drainMs: 0 });
    expect((await drained).body).toContain("event: drain");
  });

  it("is left alone while it is there", async () => {
    const before = statSync(api.path).ino;
    await api.server.check();
    expect(statSync(api.path).ino).toBe(before);
  });

  it("that cannot be made is an error that names it", async () => {
    const bad = join(api.directory, "secret", "socket");
    const nobody = { catalogDir: null } as unknown as Parameters<typeof serveApi>[0];
    await expect(serveApi(nobody, bad)).rejects.toThrow(`the socket ${bad} cannot be made`);
  });

  it("is gone after the close", () => {
    api.server.close();
    expect(statSync(api.path, { throwIfNoEntry: false })).toBeUndefined();
  });
});

async function waitFor(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error("it did not become so within 5 s");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
