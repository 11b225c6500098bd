/** A few rounds of random kills; `random-kills.long.test.ts` plays many. */
import { expect, it } from "vitest";
import { randomKills } from "./random-kills.ts";

it("SIGKILL at random moments: never two, and a later deploy always converges", async () => {
  const seed = Math.floor(Math.random() * 1e9);
  expect(await randomKills({ rounds: 10, seed, lanes: 2 })).toBeGreaterThan(0);
});
