import { describe, expect, it } from "vitest";
import { createAbort } from "../ports/abort.ts";
import type { Clock } from "../ports/clock.ts";
import type { Hint, Substrate } from "../ports/substrate.ts";
import { Call } from "./call.ts";
import * as conditions from "./conditions.ts";
import type { Deletion } from "./observation.ts";
import { evidence, identity, instance, observed } from "./observed.fixture.ts";
import { moorageProfile } from "./profile.ts";
import { settle } from "./settle.ts";

const running = instance(evidence.started);
const changed = (state: keyof typeof evidence, deletion: Deletion | null = null): Hint => ({
  kind: "changed",
  instance: observed(evidence[state], { fence: { uid: running.fence.uid, resourceVersion: "99" }, deletion }),
});
const over: Hint = { kind: "over", detail: "410", retryAfterMs: null };

/** Time goes on only in sleeps, and only when nothing else is to be told. */
function settled(hints: readonly Hint[], endsAfterThem = false): ReturnType<typeof settle> {
  let now = 0;
  const clock: Clock = {
    now: () => now,
    async sleep(ms, signal) {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      if (signal?.aborted !== true) now += ms;
    },
  };
  async function* follow(): AsyncGenerator<Hint> {
    yield* hints;
    if (!endsAfterThem) await new Promise(() => undefined);
  }
  const substrate = { scope: "test", follow } as Partial<Substrate> as Substrate;
  const random = { token: () => "0", fraction: () => 0 };
  const subject = { agent: "scribe", profile: moorageProfile, identity, deadlineMs: 60_000 };
  const ports = { substrate, clock, random, journal: { append: () => undefined }, signal: createAbort().signal };
  const call = new Call(subject, ports, conditions.looking);
  return settle(call, { instance: running, version: "1" }, 2_000, new Set());
}

describe("settle", () => {
  it("holds when nothing is told against it, and when the same is told again", async () => {
    expect(await settled([])).toEqual({ kind: "held" });
    expect(await settled([{ kind: "changed", instance: observed(evidence.started) }])).toEqual({ kind: "held" });
  });

  it("tells an agent that ended at once as that", async () => {
    expect(await settled([changed("terminated")])).toMatchObject({
      kind: "reported",
      condition: { code: "agentEnded" },
    });
  });

  it("asks for another look at a mark, which may be a stop or a removal by force", async () => {
    const mark: Deletion = { since: null, finalizers: [] };
    expect(await settled([changed("started", mark)])).toMatchObject({
      kind: "look",
      otherwise: { kind: "worldMoved" },
    });
    expect(await settled([changed("terminated", mark)])).toMatchObject({ condition: { code: "agentEnded" } });
  });

  it("tells an interruption, although it may be running", async () => {
    expect(await settled([changed("interrupted")])).toMatchObject({ kind: "worldMoved" });
  });

  it("tells a removal, and one that nobody confirmed as that", async () => {
    const removed = (state: keyof typeof evidence): Hint => ({ kind: "removed", last: observed(evidence[state]) });
    expect(await settled([removed("terminated")])).toMatchObject({ kind: "worldMoved" });
    expect(await settled([removed("started")])).toMatchObject({
      kind: "reported",
      condition: { code: "removedUnconfirmed" },
    });
  });

  it("asks for another look when the watch ends early, or another incarnation shows up", async () => {
    expect(await settled([over])).toEqual({ kind: "look", otherwise: null });
    expect(await settled([], true)).toEqual({ kind: "look", otherwise: null });
    const other = observed(evidence.recoverable, { fence: { uid: "another", resourceVersion: "5" } });
    expect(await settled([{ kind: "changed", instance: other }])).toEqual({ kind: "look", otherwise: null });
  });
});
