import { expect, it } from "vitest";
import { fromInside } from "./container-table.ts";
import type { ProcessEntry } from "./process/process-table.ts";

function entry(pid: number, parent: number): ProcessEntry {
  const belonging = { kind: "instance", instance: "i", attempt: "a" } as const;
  return {
    pid,
    parent,
    group: pid,
    session: pid,
    start: pid,
    state: "alive",
    command: "",
    belonging,
    holdsOutput: null,
  };
}

function pids(processes: readonly ProcessEntry[], self: number): readonly number[] {
  return fromInside(processes, self).map(({ pid }) => pid);
}

it("what was started from outside, and all that it started, is left out; what lost its parent is not", () => {
  const container = [entry(1, 0), entry(7, 1), entry(20, 7), entry(21, 20), entry(30, 1)];
  const shell = [entry(40, 0), entry(41, 40)];
  expect(pids([...container, ...shell], 7)).toEqual([1, 7, 20, 21, 30]);
});

it("a harness that was itself started from outside sees its own", () => {
  expect(pids([entry(1, 0), entry(40, 0), entry(41, 40), entry(42, 41), entry(50, 0)], 41)).toEqual([1, 40, 41, 42]);
});

it("numbers that lead in a circle end", () => {
  expect(pids([entry(1, 0), entry(7, 1), entry(8, 9), entry(9, 8)], 7)).toEqual([1, 7]);
});
