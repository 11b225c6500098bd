import { expect, test } from "vitest";
import { describeDuration, parseDuration } from "./duration.ts";

test.each([
  ["30s", 30_000],
  ["5m", 300_000],
  ["2h", 7_200_000],
  ["8760h", 31_536_000_000],
])("%s is %d milliseconds", (text, ms) => {
  expect(parseDuration(text)).toEqual({ kind: "duration", ms });
});

test.each([
  ["0", "nothing could happen"],
  ["0s", "nothing could happen"],
  ["-1s", "is negative"],
  ["1e9h", "whole number"],
  ["5", "no unit"],
  ["1.5h", "not a duration"],
  ["9999999h", "longer than a year"],
  ["", "not a duration"],
  ["1 h", "not a duration"],
  ["1d", "not a duration"],
  ["٣s", "not a duration"],
])("%j is refused with its reason", (text, reason) => {
  const parsed = parseDuration(text);
  expect(parsed).toMatchObject({ kind: "mistake", message: expect.stringContaining(reason) as string });
  expect(parsed.kind === "mistake" && parsed.hint).toMatch(/30s, 5m or 2h|8760h/);
});

test("0 is one look, where a look is asked for", () => {
  expect(parseDuration("0", "allowed")).toEqual({ kind: "duration", ms: 0 });
  expect(parseDuration("-1s", "allowed")).toMatchObject({ kind: "mistake" });
});

test.each([
  [0, "0.0s"],
  [3_400, "3.4s"],
  [59_999, "59s"],
  [60_000, "1m"],
  [312_000, "5m 12s"],
  [3_600_000, "1h"],
  [90_000_000, "1d 1h"],
])("%d milliseconds are shown as %s", (ms, text) => {
  expect(describeDuration(ms)).toBe(text);
});
