import { expect, test } from "vitest";
import { parseProcStat } from "./linux-stat.ts";

function line(name: string, state: string, threads = 1): string {
  return `42 (${name}) ${state} 7 40 39 34816 42 4194304 100 0 0 0 11 12 3 4 20 0 ${threads} 0 987654 1000000 250 18446744073709551615`;
}

test("all fields, whatever the program is called", () => {
  for (const name of ["sleep", "a b", ") S 1 1 1", "((", "x)\n(y"])
    expect(parseProcStat(line(name, "S"))).toEqual({
      pid: 42,
      name,
      state: "alive",
      parent: 7,
      group: 40,
      session: 39,
      start: 987_654,
      cpuTicks: 30,
      residentPages: 250,
    });
});

test.each([
  ["R", 1, "alive"],
  ["D", 1, "alive"],
  ["T", 1, "stopped"],
  ["t", 1, "stopped"],
  ["Z", 1, "zombie"],
  ["Z", 0, "zombie"],
  ["X", 1, "zombie"],
  ["Z", 5, "alive"],
])("state %s with %i threads is %s", (state, threads, expected) => {
  expect(parseProcStat(line("x", state, threads))?.state).toBe(expected);
});

test("what is no such line", () => {
  for (const text of ["", "42", "42 (x", "42 (x) S 1"]) expect(parseProcStat(text)).toBeNull();
});
