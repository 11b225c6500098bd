import type { Hint, Identity, Reading, Refused, Substrate, Unavailable } from "@moorage/core";
import { parseIdentity } from "@moorage/core";
import { describe, expect, it } from "vitest";
import { wantingFirstAnswer } from "./first-answer.ts";
import { type JumpingClock, jumpingClock } from "./jumping-clock.fixture.ts";

type Answer = Reading | Refused | Unavailable;

const identity = parseIdentity("0123456789abcdef".repeat(4)) as Identity;
const nobody: Unavailable = { kind: "unavailable", detail: "the connection is refused", retryAfterMs: 2_000 };
const empty: Reading = { kind: "read", instances: [], version: "7" };
const refused: Refused = { kind: "refused", refusal: { kind: "unauthenticated", target: "https://api.example" } };
const told: Refused = {
  kind: "refused",
  refusal: { kind: "unreachable", target: "https://api.example", detail: "the connection is refused" },
};

/** A substrate whose look takes so many milliseconds and is answered as `answers` says, the last one for ever. */
function answering(clock: JumpingClock, answers: readonly Answer[], tookMs = 0): Substrate {
  const left = [...answers];
  const inner: Partial<Substrate> = {
    scope: "the namespace team",
    readInstances() {
      clock.jump(tookMs);
      return Promise.resolve((left.length > 1 ? left.shift() : left[0]) ?? nobody);
    },
    readName: () => Promise.resolve({ kind: "absent" }),
    async *follow(): AsyncGenerator<Hint> {
      yield { kind: "over", detail: "passed on", retryAfterMs: null };
    },
  };
  return wantingFirstAnswer(inner as Substrate, clock, "https://api.example");
}

describe("a cluster that has never answered", () => {
  it("is unreachable 30 s after the first question, and not before", async () => {
    const clock = jumpingClock();
    const substrate = answering(clock, [nobody]);
    clock.jump(100_000);
    expect(await substrate.readInstances(identity)).toBe(nobody);
    clock.jump(29_999);
    expect(await substrate.readInstances(identity)).toBe(nobody);
    clock.jump(1);
    expect(await substrate.readInstances(identity)).toEqual(told);
  });

  it("is asked twice, however long a question took: a person may have signed in meanwhile", async () => {
    const clock = jumpingClock();
    const substrate = answering(clock, [nobody, nobody], 31_000);
    expect(await substrate.readInstances(identity)).toBe(nobody);
    expect(await substrate.readInstances(identity)).toEqual(told);
  });

  it("is there when it says that it is busy", async () => {
    const clock = jumpingClock();
    const busy: Unavailable = { ...nobody, busy: true };
    const substrate = answering(clock, [busy, nobody, nobody], 31_000);
    for (const answer of [busy, nobody, nobody]) expect(await substrate.readInstances(identity)).toBe(answer);
  });
});

describe("a cluster that has answered once", () => {
  it("has as long as the start has", async () => {
    const clock = jumpingClock();
    const substrate = answering(clock, [nobody, empty, nobody]);
    expect(await substrate.readInstances(identity)).toBe(nobody);
    clock.jump(60_000);
    expect(await substrate.readInstances(identity)).toBe(empty);
    clock.jump(500_000);
    expect(await substrate.readInstances(identity)).toBe(nobody);
  });

  it("has answered when it refused", async () => {
    const clock = jumpingClock();
    const substrate = answering(clock, [refused, nobody]);
    expect(await substrate.readInstances(identity)).toBe(refused);
    clock.jump(60_000);
    expect(await substrate.readInstances(identity)).toBe(nobody);
  });
});

it("everything else is passed on", async () => {
  const substrate = answering(jumpingClock(), [empty]);
  expect(substrate.scope).toBe("the namespace team");
  expect(await substrate.readName("pod-1")).toEqual({ kind: "absent" });
  const hints: Hint[] = [];
  const { signal } = new AbortController();
  for await (const hint of substrate.follow(identity, "7", signal)) hints.push(hint);
  expect(hints).toEqual([{ kind: "over", detail: "passed on", retryAfterMs: null }]);
});
