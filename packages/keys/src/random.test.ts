import { expect, test } from "vitest";
import { systemRandom } from "./random.ts";

test("a token has exactly the digits that were asked for, odd numbers too", () => {
  for (const digits of [1, 8, 9, 16, 64])
    expect(systemRandom.token(digits)).toMatch(new RegExp(`^[0-9a-f]{${digits}}$`));
});

test("tokens differ, and fractions stay in [0, 1)", () => {
  expect(new Set(Array.from({ length: 1_000 }, () => systemRandom.token(16))).size).toBe(1_000);
  const fractions = Array.from({ length: 1_000 }, () => systemRandom.fraction());
  expect(fractions.every((value) => value >= 0 && value < 1)).toBe(true);
  expect(Math.max(...fractions)).toBeGreaterThan(0.9);
  expect(Math.min(...fractions)).toBeLessThan(0.1);
});
