// A short simulation: every promise holds in random histories, a broken one is noticed, a seed replays exactly and shrinks.
import { afterEach, describe, expect, test } from "vitest";
import { chanceOf } from "./chance.ts";
import { kinds } from "./kinds.ts";
import { knownSeeds } from "./known-seeds.ts";
import type { Played } from "./play.ts";
import { play } from "./play.ts";
import type { PromiseName, Violation } from "./promises.ts";
import { randomHistory } from "./random-history.ts";
import { rogues } from "./rogues.ts";
import { shrink } from "./shrink.ts";
import { tellStory } from "./story.ts";

const histories = 250;
const rogueHistories = 600;

const played = new Map<number, Promise<Played>>();

function playOnce(seed: number): Promise<Played> {
  const before = played.get(seed);
  if (before !== undefined) return before;
  const now = play(randomHistory(seed));
  played.set(seed, now);
  return now;
}

async function breaches(...promises: readonly PromiseName[]): Promise<Violation[]> {
  const found: Violation[] = [];
  for (let seed = 1; seed <= histories; seed += 1) {
    const { violations } = await playOnce(seed);
    found.push(...violations.filter(({ promise }) => promises.includes(promise)));
  }
  return found;
}

/** Whether a loop that breaks this promise is caught at it. */
async function isCaught(promise: keyof typeof rogues): Promise<boolean> {
  for (let seed = 1; seed <= rogueHistories; seed += 1) {
    const { violations } = await play(randomHistory(seed), { loops: rogues[promise] });
    if (violations.some((violation) => violation.promise === promise)) return true;
  }
  return false;
}

describe("the promises", () => {
  test("P1: at most one container of an identity is alive, unless its object was removed before its end was confirmed", async () => {
    expect(await breaches("P1")).toEqual([]);
    expect(await isCaught("P1")).toBe(true);
  });

  test("P2: a start whose read shows a started agent changes nothing, and a no-op is one read", async () => {
    expect(await breaches("P2")).toEqual([]);
    expect(await isCaught("P2")).toBe(true);
  });

  test("P3: every removal carries the fence of the call's own last read, and a refused fence is followed by a look", async () => {
    expect(await breaches("P3")).toEqual([]);
    expect(await isCaught("P3")).toBe(true);
  });

  test("P4: no instance is removed for its age, its silence or a reason string", async () => {
    expect(await breaches("P4", "secrets")).toEqual([]);
    expect(await isCaught("P4")).toBe(true);
  });

  test("P5: success means that the container ran when it was last looked at", async () => {
    expect(await breaches("P5")).toEqual([]);
    expect(await isCaught("P5")).toBe(true);
  });

  test("P6: concurrent starts converge, and a loser removes only what it made itself", async () => {
    expect(await breaches("P6", "limits")).toEqual([]);
    expect(await isCaught("P6")).toBe(true);
  });

  test("every answer was true, and at rest nothing of ours is left over", async () => {
    expect(await breaches("answer", "rest")).toEqual([]);
  });
});

test("seeds that once failed hold", async () => {
  const broken: unknown[] = [];
  for (const known of knownSeeds()) if (await kinds[known.kind].breaks(known.seed)) broken.push(known);
  expect(broken).toEqual([]);
});

test("the histories reach every outcome and every kind of fault", async () => {
  const outcomes = new Set<string>();
  const faults = new Set<string>();
  for (let seed = 1; seed <= histories; seed += 1) {
    const one = await playOnce(seed);
    for (const outcome of one.outcomes.keys()) outcomes.add(outcome);
    for (const { kind } of one.faults) faults.add(kind);
  }
  expect([...outcomes].sort()).toEqual([
    "alreadyRunning",
    "interrupted",
    "notConfirmed",
    "nothing",
    "refused",
    "reported",
    "started",
    "stopped",
    "worldMoved",
  ]);
  expect(faults.size).toBe(14);
});

describe("a seed", () => {
  const realNow = Date.now;

  afterEach(() => {
    Date.now = realNow;
  });

  test("gives the same trace again, also with its faults given one by one", async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const history = randomHistory(seed);
      const first = await playOnce(seed);
      const again = await play({ ...history, faults: { kind: "given", list: first.faults } });
      expect(again.digest).toBe(first.digest);
    }
    expect((await playOnce(1)).digest).not.toBe((await playOnce(2)).digest);
  });

  test("gives the same trace whatever the wall clock of this machine does", async () => {
    const chance = chanceOf(1);
    for (let seed = 1; seed <= 30; seed += 1) {
      Date.now = () => chance.pick([0, 86_400_000, 1e15]) + chance.below(1_000);
      const stepped = await play(randomHistory(seed));
      Date.now = realNow;
      expect(stepped.digest).toBe((await playOnce(seed)).digest);
    }
  });

  test("shrinks to a story of a few steps that breaks the same promise", async () => {
    const options = { loops: rogues.P2 };
    for (let seed = 1; ; seed += 1) {
      const history = randomHistory(seed);
      const { violations } = await play(history, options);
      if (!violations.some(({ promise }) => promise === "P2") || history.steps.length < 8) continue;
      const small = await shrink(history, "P2", options);
      const told = await play(small, { ...options, story: true });
      expect(told.violations.map(({ promise }) => promise)).toContain("P2");
      expect(small.steps.length).toBeLessThanOrEqual(4);
      expect(tellStory(small, told)).toContain("P2 at ");
      return;
    }
  });
});
