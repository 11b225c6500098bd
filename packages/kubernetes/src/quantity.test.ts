import { expect, test } from "vitest";
import { parseQuantity } from "./quantity.ts";

test.each([
  ["0", 0],
  ["250m", 0.25],
  ["1.5", 1.5],
  [".5", 0.5],
  ["64Mi", 64 * 2 ** 20],
  ["1Gi", 2 ** 30],
  ["2k", 2_000],
  ["3G", 3e9],
  ["1e3", 1_000],
  ["1E", 1e18],
  ["-1", -1],
  [2, 2],
])("%j is %d", (text, amount) => {
  expect(parseQuantity(text)).toBeCloseTo(amount, 9);
});

test("what metrics are told in", () => {
  expect(parseQuantity("1234567890n")).toBeCloseTo(1.23456789, 9);
  expect(parseQuantity("1500u")).toBeCloseTo(0.0015, 9);
});

test.each(["", "Mi", "1 Mi", "1mi", "a", "1e", null, {}, true])("%j is none", (value) => {
  expect(parseQuantity(value)).toBeNull();
});
