/** Many rounds of random kills: 200, or as many as MOORAGE_ROUNDS says; MOORAGE_SEED plays the same commands and victims again. */
import { expect, it } from "vitest";
import { randomKills } from "./random-kills.ts";

const rounds = Number(process.env["MOORAGE_ROUNDS"] ?? 200);
const seed = Number(process.env["MOORAGE_SEED"] ?? Math.floor(Math.random() * 1e9));

it(`${rounds} rounds of SIGKILL at random moments`, async () => {
  expect(await randomKills({ rounds, seed, lanes: 3 })).toBeGreaterThan(0);
});
