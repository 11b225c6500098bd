import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentError, isDraining } from "./agent-error.ts";
import type { Agent } from "./connect.ts";
import { connect } from "./connect.ts";
import { FakeHarness, until } from "./fake-harness.fixture.ts";

let harness: FakeHarness;
let agent: Agent;

beforeEach(async () => {
  harness = new FakeHarness();
  mkdirSync(join(harness.directory, "catalog"));
  writeFileSync(join(harness.directory, "catalog", "system.md"), "be kind");
  harness.catalog = join(harness.directory, "catalog");
  await harness.start();
  agent = await connect({ socket: harness.socket, catalog: harness.catalog });
});

afterEach(async () => {
  agent.close();
  await harness.clear();
});

describe("a turn", () => {
  it("is begun, worked and ended, with its catalog", async () => {
    const value = await agent.turn(({ id, catalog }) => `${id}: ${catalog.text("system.md")}`);
    expect(value).toBe("t1: be kind");
    expect(harness.asked).toEqual(["POST /v1/turns", 'DELETE /v1/turns/t1 {"outcome":"succeeded"}']);
  });

  it("that fails is told as failed, and its error is the work's own", async () => {
    const fault = new Error("no luck");
    await expect(agent.turn(() => Promise.reject(fault))).rejects.toBe(fault);
    expect(harness.asked.at(-1)).toBe('DELETE /v1/turns/t1 {"outcome":"failed"}');
  });

  it("overlaps with others", async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => await agent.turn(({ id }) => id)));
    expect(ids.sort()).toEqual(["t1", "t2", "t3"]);
  });

  it("that the harness refuses rejects in its words, and nothing is worked", async () => {
    const body = { kind: "Error", code: "tooManyTurns", message: "1000 turns are in flight", hint: "end some" };
    harness.answers["POST /v1/turns"] = { status: 429, body };
    let worked = false;
    const turn = agent.turn(() => {
      worked = true;
    });
    await expect(turn).rejects.toMatchObject({
      code: "tooManyTurns",
      message: "1000 turns are in flight",
      hint: "end some",
    });
    expect(worked).toBe(false);
  });

  it("goes on when the socket was made again", async () => {
    await agent.turn(() => undefined);
    await harness.stop();
    const turn = agent.turn(({ id }) => id);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await harness.start();
    expect(await turn).toBe("t2");
  });

  it("whose end nobody hears any more has its value all the same", async () => {
    harness.answers["DELETE /v1/turns/t1"] = { status: 404, body: { code: "noSuchTurn", message: "-", hint: "-" } };
    expect(await agent.turn(() => 7)).toBe(7);
  });
});

describe("a drain", () => {
  it("aborts `draining`, refuses turns, and leaves the one in flight its time", async () => {
    const events: string[] = [];
    const turn = agent.turn(async ({ signal }) => {
      harness.drain(150);
      await until(() => agent.draining.aborted);
      events.push(`draining, turn ${signal.aborted ? "over" : "in time"}`);
      await expect(agent.turn(() => undefined)).rejects.toSatisfy(isDraining);
      await until(() => signal.aborted);
      events.push("over");
    });
    await turn;
    expect(events).toEqual(["draining, turn in time", "over"]);
    expect(harness.asked.filter((line) => line.startsWith("POST"))).toHaveLength(1);
  });

  it("that the harness tells with a refusal is the same error", async () => {
    harness.answers["POST /v1/turns"] = { status: 409, body: { code: "draining", message: "ends", hint: "exit" } };
    await expect(agent.turn(() => undefined)).rejects.toSatisfy(isDraining);
  });

  it("ends a loop over jobs that wait for ever", async () => {
    let released = false;
    async function* jobs(): AsyncGenerator<number> {
      try {
        yield 1;
        yield 2;
        await until(() => agent.draining.aborted);
      } finally {
        released = true;
      }
    }
    const seen: number[] = [];
    for await (const job of agent.untilDrain(jobs())) {
      seen.push(job);
      if (job === 2) harness.drain(1_000);
    }
    expect(seen).toEqual([1, 2]);
    await until(() => released);
  });

  it("lets a loop over a list end by itself", async () => {
    const seen: number[] = [];
    for await (const job of agent.untilDrain([1, Promise.resolve(2)])) seen.push(job);
    expect(seen).toEqual([1, 2]);
  });

  it("is heard on the socket that was made again", async () => {
    await harness.stop();
    await harness.start();
    await until(() => harness.listeners === 1);
    harness.drain(1_000);
    await until(() => agent.draining.aborted);
  });
});

describe("health", () => {
  it("is put", async () => {
    await agent.health(true);
    await agent.health(false, "no answer");
    expect(harness.asked).toEqual(['PUT /v1/health {"ok":true}', 'PUT /v1/health {"ok":false,"detail":"no answer"}']);
  });
});

describe("connect", () => {
  it("rejects when a harness is named and nobody answers", async () => {
    const socket = join(harness.directory, "none");
    await expect(connect({ socket })).rejects.toMatchObject({
      code: "harnessGone",
      message: expect.stringContaining(socket),
    });
  });

  it("works without a harness: turns run, drains never come, the catalog is read", async () => {
    const lonely = await connect({ socket: null, catalog: join(harness.directory, "catalog") });
    expect(lonely.supervised).toBe(false);
    expect(await lonely.turn(({ id, catalog }) => `${id} ${catalog.text("system.md")}`)).toBe("t1 be kind");
    await lonely.health(false, "alone");
    const seen: string[] = [];
    for await (const job of lonely.untilDrain(["a", "b"])) seen.push(job);
    expect(seen).toEqual(["a", "b"]);
    expect(lonely.draining.aborted).toBe(false);
    lonely.close();
    await expect(lonely.turn(() => Promise.reject(new AgentError("x", "y", "z")))).rejects.toMatchObject({ code: "x" });
  });
});
