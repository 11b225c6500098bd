import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import http from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readFacts } from "./facts.ts";
import type { Mooring } from "./supervise.fixture.ts";
import { alive, Harbour, until } from "./supervise.fixture.ts";
import { turnsAtMost } from "./turns.ts";

const harbour = new Harbour();
afterEach(async () => await harbour.clear());

const patient = "echo up; trap 'echo term; exit 0' TERM; while :; do sleep 0.02; done";

async function up(mooring: Mooring): Promise<Mooring> {
  await mooring.says("up");
  return mooring;
}

function facts(mooring: Mooring): ReturnType<typeof readFacts> {
  return readFacts(mooring.spec.factsPath);
}

describe("a drain", () => {
  it("lets the turn finish, refuses new ones, tells the agent, and ends early", async () => {
    const mooring = await up(harbour.moor(patient, { drainMs: 60_000, graceMs: 120_000 }));
    await mooring.call("POST", "/v1/turns");
    const events = listen(mooring.spec.socketPath);
    await events.until("listening");
    mooring.supervision.stop(null);
    await events.until("event: drain");
    expect(await mooring.call("POST", "/v1/turns")).toMatchObject({ status: 409, body: { code: "draining" } });
    expect(facts(mooring)).toMatchObject({ inFlight: 1, counts: { begun: 1, refused: 1 } });
    expect(facts(mooring)?.drainingSince).not.toBeNull();
    expect(mooring.output()).not.toContain("term");
    expect((await mooring.call("DELETE", "/v1/turns/t1")).status).toBe(200);
    expect(await mooring.ended()).toMatchObject({ reason: "stopped", exitCode: 0, detail: null });
    expect(mooring.output()).toContain("term");
    expect(facts(mooring)).toMatchObject({ inFlight: 0, last: { id: "t1", outcome: "succeeded" } });
  });

  it("waits for the last of overlapping turns", async () => {
    const mooring = await up(harbour.moor(patient, { drainMs: 60_000, graceMs: 120_000 }));
    await mooring.call("POST", "/v1/turns");
    await mooring.call("POST", "/v1/turns");
    mooring.supervision.stop(null);
    await mooring.call("DELETE", "/v1/turns/t1", { outcome: "failed" });
    expect(mooring.output()).not.toContain("term");
    await mooring.call("DELETE", "/v1/turns/t2");
    await mooring.ended();
    expect(facts(mooring)?.counts).toEqual({ begun: 2, succeeded: 1, failed: 1, refused: 0 });
  });

  it("that is over sends SIGTERM, and names the turn that is lost", async () => {
    const mooring = await up(harbour.moor(patient, { drainMs: 400, graceMs: 60_000 }));
    await mooring.call("POST", "/v1/turns");
    const began = performance.now();
    mooring.supervision.stop(null);
    const ending = await mooring.ended();
    expect(performance.now() - began).toBeGreaterThan(350);
    expect(ending).toMatchObject({
      reason: "stopped",
      exitCode: 0,
      detail: expect.stringMatching(/^turn t1 .* was lost$/),
    });
  });

  it("still ends with SIGKILL when the agent does nothing about it", async () => {
    const mooring = await up(
      harbour.moor("echo up; trap '' TERM; while :; do sleep 0.02; done", { drainMs: 200, graceMs: 600 }),
    );
    await mooring.call("POST", "/v1/turns");
    mooring.supervision.stop(null);
    const ending = await mooring.ended();
    expect(ending).toMatchObject({ reason: "stopped", signal: "SIGKILL" });
    expect(ending.detail).toMatch(/^turn t1 .* was lost; what was still there .* was killed$/);
  });
});

describe("turns", () => {
  it("10,000 of which are never closed are bounded, and the agent can still be stopped", async () => {
    const mooring = await up(harbour.moor(patient, { drainMs: 300, graceMs: 60_000 }));
    const statuses = await beginMany(mooring.spec.socketPath, 10_000);
    expect(statuses.filter((status) => status === 201)).toHaveLength(turnsAtMost);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10_000 - turnsAtMost);
    mooring.supervision.stop(null);
    const ending = await mooring.ended();
    expect(ending.detail).toMatch(/^turns t1 .*, t2 .*, t3 .* and 997 more were lost$/);
  });

  it("read one catalog from begin to end, from the copy alone", async () => {
    const catalogDir = mkdtempSync(join(tmpdir(), "catalog-"));
    try {
      mkdirSync(join(catalogDir, "prompts"));
      writeFileSync(join(catalogDir, "prompts", "system.json"), '{"be":"kind"}');
      const mooring = harbour.moor('echo "at $MOORAGE_CATALOG"; exec sleep 1000', { catalogDir });
      await mooring.says(`at ${catalogDir}`);
      await mooring.call("POST", "/v1/turns");
      expect(await mooring.call("GET", "/v1/turns/t1/catalog/prompts/system.json")).toEqual({
        status: 200,
        body: { be: "kind" },
      });
    } finally {
      rmSync(catalogDir, { recursive: true });
    }
  });
});

describe("the idle limit", () => {
  it("ends an agent that never connected, by the same path as a stop", async () => {
    const mooring = harbour.moor(patient, { idleMs: 300 });
    expect(await mooring.ended()).toMatchObject({ reason: "idle", exitCode: 0, detail: null });
    expect(mooring.output()).toContain("term");
    expect(facts(mooring)?.drainingSince).not.toBeNull();
  });

  it("does not count while a turn is in flight, and counts anew from its end", async () => {
    const mooring = await up(harbour.moor(patient, { idleMs: 400 }));
    await mooring.call("POST", "/v1/turns");
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(await alive(mooring.record.mark?.pid ?? 0)).toBe(true);
    const ended = performance.now();
    await mooring.call("DELETE", "/v1/turns/t1");
    expect(await mooring.ended()).toMatchObject({ reason: "idle" });
    expect(performance.now() - ended).toBeGreaterThan(380);
  });
});

describe("health", () => {
  it("is what the agent put", async () => {
    const mooring = await up(harbour.moor(patient, { health: { kind: "socket" } }));
    expect(facts(mooring)).toMatchObject({ health: { kind: "unknown" }, connected: false });
    expect((await mooring.call("PUT", "/v1/health", { ok: false, detail: "no answer" })).body).toEqual({ used: true });
    expect(facts(mooring)).toMatchObject({ health: { kind: "unhealthy", detail: "no answer" }, connected: true });
    await mooring.call("PUT", "/v1/health", { ok: true });
    expect(facts(mooring)?.health).toEqual({ kind: "healthy", detail: null });
  });

  it("that the declaration takes from nowhere is heard and not used", async () => {
    const mooring = await up(harbour.moor(patient));
    expect((await mooring.call("PUT", "/v1/health", { ok: true })).body).toEqual({ used: false });
    expect(facts(mooring)?.health).toEqual({ kind: "unknown" });
  });

  it("of a file follows its age, and ends nobody", async () => {
    const directory = mkdtempSync(join(tmpdir(), "health-"));
    const path = join(directory, "health");
    try {
      const mooring = await up(harbour.moor(patient, { health: { kind: "file", path, maxAgeMs: 60_000 } }));
      writeFileSync(path, "");
      await until(
        () => facts(mooring)?.health.kind === "healthy",
        () => "it is healthy",
      );
      utimesSync(path, 0, 0);
      await until(
        () => facts(mooring)?.health.kind === "unhealthy",
        () => "it is unhealthy",
      );
      expect(facts(mooring)?.health).toMatchObject({ since: "1970-01-01T00:01:00.000Z" });
      expect(await alive(mooring.record.mark?.pid ?? 0)).toBe(true);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe("the socket", () => {
  it("is back within seconds after a cleaner took it", async () => {
    const mooring = await up(harbour.moor(patient));
    const { socketPath } = mooring.spec;
    rmSync(socketPath);
    await until(
      () => statSync(socketPath, { throwIfNoEntry: false }) !== undefined,
      () => "the socket is back",
    );
    expect((await mooring.call("POST", "/v1/turns")).status).toBe(201);
  });

  it("is not needed for a stop", async () => {
    const mooring = await up(harbour.moor(patient));
    rmSync(mooring.spec.socketPath);
    mooring.record.seen = { kind: "ours", stop: { graceMs: null } };
    expect(await mooring.ended()).toMatchObject({ reason: "stopped" });
  });
});

function listen(socketPath: string): { readonly until: (text: string) => Promise<void> } {
  let all = "";
  const request = http.get({ socketPath, path: "/v1/events", agent: false }, (response) => {
    response.setEncoding("utf8").on("data", (part: string) => (all += part));
    // The stream ends with its supervisor.
    response.on("error", () => undefined);
  });
  request.on("error", () => undefined);
  return {
    until: async (text) =>
      await until(
        () => all.includes(text),
        () => `${text} in ${all}`,
      ),
  };
}

/** All of them at once over one connection; the statuses of the answers. */
async function beginMany(socketPath: string, count: number): Promise<number[]> {
  return await new Promise<number[]>((resolve, reject) => {
    const statuses: number[] = [];
    let rest = "";
    const socket = connect(socketPath, () => {
      for (let turn = 0; turn < count; turn += 1)
        socket.write("POST /v1/turns HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    });
    socket.setEncoding("latin1").on("data", (text: string) => {
      // An answer begins right behind the body of the one before.
      const parts = (rest + text).split("HTTP/1.1 ");
      rest = `HTTP/1.1 ${parts.pop() ?? ""}`;
      for (const part of parts) if (part !== "") statuses.push(Number(part.slice(0, 3)));
      if (statuses.length === count - 1 && rest.endsWith("}")) statuses.push(Number(rest.slice(9, 12)));
      if (statuses.length < count) return;
      socket.destroy();
      resolve(statuses);
    });
    socket.on("error", reject);
  });
}
