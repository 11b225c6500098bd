import { expect, test } from "vitest";
import { harmless, telling } from "./log-tail.ts";

test("a quoted line moves no cursor, clears no screen and rings no bell", () => {
  expect(harmless("\u001b[2J\u001b[1;31mred\u001b[0m\ttab\u0007\r\u009b31mé")).toBe("red\ttab31mé");
  expect(harmless("exit \u202e0 edoc\u2066")).toBe("exit 0 edoc");
});

const trace = Array.from({ length: 14 }, (_, index) => `    at step ${index} (file:///agent.ts:1:1)`);

test.each([
  ["AgentError: the catalog has no file prompts/system.md"],
  ["Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'x'"],
  ["Uncaught TypeError: x is not a function"],
  ["Traceback (most recent call last):"],
  ["json.decoder.JSONDecodeError: Expecting value"],
  ["panic: runtime error: index out of range"],
])("a stack trace does not push out what it is about: %s", (error) => {
  expect(telling(["working", "throw new Error('x')", error, ...trace])).toEqual([error, ...trace.slice(0, 11)]);
});

test("of two errors the later one counts, and of none the last ten lines", () => {
  expect(telling(["Error: one", "going on", "Error: two", "  at x"])).toEqual(["Error: two", "  at x"]);
  expect(telling(trace)).toEqual(trace.slice(-10));
});
