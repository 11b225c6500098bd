import { describe, expect, test } from "vitest";
import type { WatchInput, WatchState, WatchStep } from "./watch-state.ts";
import { stepWatch } from "./watch-state.ts";

const over: WatchInput = { kind: "ended", detail: "the server ended it", retryAfterMs: null };

function play(begin: WatchState, inputs: readonly WatchInput[], chance = 0.999_999): WatchStep[] {
  const steps: WatchStep[] = [];
  let state = begin;
  for (const input of inputs) {
    const step = stepWatch(state, input, chance);
    steps.push(step);
    state = step.state;
  }
  return steps;
}

const pauses = (steps: readonly WatchStep[]): number[] =>
  steps.flatMap(({ demand }) => (demand.kind === "pause" ? [Math.round(demand.ms)] : []));

test("from nothing: a list, then a watch from its version, then what is heard moves the version on", () => {
  const steps = play({ kind: "empty", failures: 0 }, [
    { kind: "go" },
    { kind: "listed", version: "5" },
    { kind: "heard", version: "6" },
    over,
    { kind: "go" },
  ]);
  expect(steps.map(({ demand }) => demand.kind)).toEqual(["list", "watch", "read", "pause", "watch"]);
  expect(steps.at(-1)?.demand).toEqual({ kind: "watch", from: "6" });
});

test("a version that expired needs a list", () => {
  const steps = play({ kind: "listed", version: "5", failures: 0 }, [
    { kind: "go" },
    { kind: "expired" },
    { kind: "go" },
  ]);
  expect(steps.at(-1)).toMatchObject({ state: { kind: "listing" }, demand: { kind: "list" } });
});

describe("back-off", () => {
  const again: WatchInput[] = [over, { kind: "go" }];

  test("doubles up to its cap while nothing new is heard, however often a stream opens", () => {
    const inputs = Array.from({ length: 12 }, () => again).flat();
    expect(pauses(play({ kind: "watching", version: "5", failures: 0 }, inputs))).toEqual([
      100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000, 10_000, 10_000,
    ]);
  });

  test("is not taken back by an event that is known already, nor by a list", () => {
    const known: WatchInput = { kind: "heard", version: "5" };
    expect(pauses(play({ kind: "watching", version: "5", failures: 3 }, [known, over]))).toEqual([800]);
    const steps = play({ kind: "empty", failures: 3 }, [
      { kind: "go" },
      { kind: "listed", version: "9" },
      { kind: "expired" },
    ]);
    expect(pauses(steps)).toEqual([800]);
  });

  test("begins anew after real progress", () => {
    const inputs: WatchInput[] = [{ kind: "heard", version: "6" }, over];
    expect(pauses(play({ kind: "watching", version: "5", failures: 9 }, inputs))).toEqual([100]);
  });

  test("jitter takes at most half of it, and what the server asked for is the least", () => {
    expect(pauses(play({ kind: "watching", version: "5", failures: 3 }, [over], 0))).toEqual([400]);
    const throttled: WatchInput = { kind: "listFailed", detail: "429", retryAfterMs: 5000 };
    expect(pauses(play({ kind: "listing", failures: 0 }, [throttled]))).toEqual([5000]);
  });
});

test("an input that does not fit is a mistake of the loop", () => {
  expect(() => stepWatch({ kind: "empty", failures: 0 }, over, 0)).toThrow("empty");
});
