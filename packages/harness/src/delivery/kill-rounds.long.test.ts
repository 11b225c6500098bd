/** Many rounds of SIGKILL: 300, or as many as MOORAGE_ROUNDS says (10,000 in two hours); MOORAGE_SEED plays the same deaths again. */
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { killRounds } from "./kill-rounds.fixture.ts";

const rounds = Number(process.env["MOORAGE_ROUNDS"] ?? 300);
const seed = Number(process.env["MOORAGE_SEED"] ?? Math.floor(Math.random() * 1e9));
const lanes = 2;

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), "kills-"));
});
afterEach(() => fs.rmSync(root, { recursive: true }));

it(
  `${rounds} rounds of SIGKILL at any step of a delivery`,
  async () => {
    const each = Math.ceil(rounds / lanes);
    const all = Array.from({ length: lanes }, async (_, lane) => {
      const place = join(root, String(lane));
      fs.mkdirSync(place);
      return await killRounds({ root: place, rounds: each, seed: seed + lane * each });
    });
    const died = await Promise.all(all);
    expect(died.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(rounds / 4);
  },
  Math.max(600_000, rounds * 2_000),
);
