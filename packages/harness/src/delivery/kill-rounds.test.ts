import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { killRounds } from "./kill-rounds.fixture.ts";

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), "kills-"));
});
afterEach(() => fs.rmSync(root, { recursive: true }));

it("SIGKILL at any step leaves the old one or the new one, never a mixture, and always something that runs", async () => {
  expect(await killRounds({ root, rounds: 20, seed: 1 })).toBeGreaterThan(5);
}, 60_000);
