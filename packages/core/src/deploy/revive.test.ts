import { describe, expect, it } from "vitest";
import type { Ending, EndingReason } from "./ending.ts";
import type { ReviveHistory } from "./revive.ts";
import { mayRevive } from "./revive.ts";

const ended = (reason: EndingReason, exitCode: number | null = null): Ending => ({
  reason,
  exitCode,
  signal: null,
  detail: null,
  at: null,
});
const now = 10_000_000;
const history = (changes: Partial<ReviveHistory> = {}): ReviveHistory => ({
  policy: "onFailure",
  revives: [],
  livedMs: 1000,
  now,
  ...changes,
});
const times = (count: number, ago = 1000): { at: number }[] =>
  Array.from({ length: count }, (_value, index) => ({ at: now - ago * (index + 1) }));

describe("mayRevive", () => {
  it("never, when the declaration says never", () => {
    expect(mayRevive(ended("exited", 1), history({ policy: "never" })).kind).toBe("no");
  });

  it.each([
    ["a crash", ended("exited", 1)],
    ["a signal", ended("signaled")],
    ["out of memory", ended("outOfMemory")],
    ["an eviction", ended("evicted")],
    ["a lost supervisor", ended("supervisorLost")],
    ["a reboot", ended("rebooted")],
  ])("yes after %s", (_name, ending) => {
    expect(mayRevive(ending, history())).toEqual({ kind: "revive", afterMs: 10_000 });
  });

  it.each([
    ["exit code 0", ended("exited", 0)],
    ["exit code 78", ended("exited", 78)],
    ["a stop", ended("stopped")],
    ["the idle limit", ended("idle")],
    ["never having started", ended("notStarted")],
    ["a failed trial", ended("trialFailed")],
    ["an end that nobody knows", ended("unknown")],
  ])("no after %s", (_name, ending) => {
    expect(mayRevive(ending, history()).kind).toBe("no");
  });

  it("backs off from 10 s, doubling, to 5 min at the most", () => {
    const waits = [0, 1, 2, 3, 4].map((count) => mayRevive(ended("exited", 1), history({ revives: times(count) })));
    expect(waits).toEqual([10, 20, 40, 80, 160].map((seconds) => ({ kind: "revive", afterMs: seconds * 1000 })));
  });

  it("five an hour; the budget refills by itself", () => {
    const decision = mayRevive(ended("exited", 1), history({ revives: times(5) }));
    expect(decision).toEqual({ kind: "exhausted", refillsAt: now - 5000 + 3_600_000 });
    expect(mayRevive(ended("exited", 1), history({ revives: times(5, 3_600_000) })).kind).toBe("revive");
  });

  it("starts the back-off anew after ten minutes of life, and keeps the budget", () => {
    expect(mayRevive(ended("exited", 1), history({ revives: times(3), livedMs: 600_000 }))).toEqual({
      kind: "revive",
      afterMs: 10_000,
    });
    expect(mayRevive(ended("exited", 1), history({ revives: times(3), livedMs: 599_999 }))).toEqual({
      kind: "revive",
      afterMs: 80_000,
    });
    expect(mayRevive(ended("exited", 1), history({ revives: times(3), livedMs: null }))).toEqual({
      kind: "revive",
      afterMs: 80_000,
    });
    expect(mayRevive(ended("exited", 1), history({ revives: times(5), livedMs: 700_000 })).kind).toBe("exhausted");
  });

  it("exit code 75 waits the longest step", () => {
    expect(mayRevive(ended("exited", 75), history())).toEqual({ kind: "revive", afterMs: 300_000 });
  });
});
