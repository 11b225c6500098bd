import { describe, expect, it } from "vitest";
import type { Exit, Seen } from "./endings.ts";
import { describeLost, endingOf } from "./endings.ts";

const exit: Exit = { code: 1, signal: null, notStarted: null, outOfMemory: false };
const seen: Seen = { stop: null, exit, lost: [], killed: false };
const bySignal: Exit = { ...exit, code: null, signal: "SIGKILL" };

describe("endingOf", () => {
  it.each<readonly [string, Partial<Seen>, object]>([
    ["an exit", {}, { reason: "exited", exitCode: 1, signal: null, detail: null }],
    ["a signal", { exit: bySignal }, { reason: "signaled", exitCode: null, signal: "SIGKILL" }],
    ["want of memory", { exit: { ...bySignal, outOfMemory: true } }, { reason: "outOfMemory", signal: "SIGKILL" }],
    [
      "another signal while others ran out of memory",
      { exit: { ...bySignal, signal: "SIGSEGV", outOfMemory: true } },
      { reason: "signaled" },
    ],
    [
      "a failed exec",
      { exit: { ...exit, code: 127, notStarted: "not found" } },
      { reason: "notStarted", detail: "not found" },
    ],
    ["a stop", { stop: "stopped" }, { reason: "stopped", exitCode: 1 }],
    [
      "a stop that had to kill",
      { stop: "stopped", exit: bySignal, killed: true },
      { reason: "stopped", signal: "SIGKILL", detail: "what was still there when its grace was over was killed" },
    ],
    ["idleness", { stop: "idle", exit: { ...exit, code: 0 } }, { reason: "idle", exitCode: 0 }],
    [
      "a lost turn and a kill",
      { lost: [{ id: "t9", ageMs: 500 }], killed: true },
      { detail: "turn t9 (0.5 s after it began) was lost; what was still there when its grace was over was killed" },
    ],
  ])("%s", (_name, difference, expected) => {
    expect(endingOf({ ...seen, ...difference })).toMatchObject(expected);
  });
});

describe("describeLost", () => {
  it("names three and counts the rest", () => {
    const lost = ["t1", "t2", "t3", "t4", "t5"].map((id) => ({ id, ageMs: 1_000 }));
    expect(describeLost(lost)).toBe(
      "turns t1 (1 s after it began), t2 (1 s after it began), t3 (1 s after it began) and 2 more were lost",
    );
  });
});
