import { expect, test } from "vitest";
import { telling } from "./log-tail.ts";

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
