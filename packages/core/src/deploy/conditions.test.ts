import { expect, test } from "vitest";
import { ended, looking, notConfirmed, starting } from "./conditions.ts";

test("what a deadline cut short goes on with the command that was called", () => {
  expect(notConfirmed("deploy", "a", 1000, looking).hint).toContain("`moorage deploy a` goes on");
  expect(notConfirmed("stop", "a", 1000, looking).hint).toContain("`moorage stop a` goes on");
});

test("the log of an agent that has ended is that of the run that is there", () => {
  const ending = { reason: "exited", exitCode: 1, signal: null, detail: null, at: null } as const;
  expect(ended("a", ending).hint).toContain("`moorage logs a`");
});

test("explain shows a hint as it is: none leads back to explain", () => {
  const cause = { code: "preparing", message: "its supervisor prepares its start" };
  expect(starting("a", cause).hint).not.toContain("explain");
});
