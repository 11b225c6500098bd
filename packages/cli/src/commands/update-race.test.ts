import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Here } from "../run.fixture.ts";
import { commandHere } from "../run.fixture.ts";
import { agentDocument } from "./update.fixture.ts";

const bin = fileURLToPath(new URL("../../bin/moorage.mjs", import.meta.url));
/** So many that reading them takes far longer than it takes two processes to begin. */
const files = 2_000;
const rounds = 5;

function prepare({ folder }: Here, name: string): string {
  const own = join(folder, name);
  mkdirSync(join(own, "prompts"), { recursive: true });
  writeFileSync(join(own, "agent.mts"), "");
  writeFileSync(join(own, "agent.yaml"), agentDocument("scribe"));
  for (let file = 0; file < files; file += 1) writeFileSync(join(own, "prompts", `${file}.md`), "x\n");
  return own;
}

function apply({ folder }: Here, cwd: string): Promise<{ readonly exit: number; readonly stderr: string }> {
  const env = { PATH: process.env["PATH"], HOME: folder, XDG_STATE_HOME: join(folder, "state") };
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, "update", "apply"], { cwd, env }, (error, _stdout, stderr) => {
      resolve({ exit: error === null ? 0 : Number(error.code), stderr });
    });
  });
}

test("of two applies at once one wins; the other is told who was faster, exit 5, and its content is not published", async () => {
  await using here = commandHere();
  const places = ["one", "two"].map((name) => prepare(here, name));
  for (let round = 0; round < rounds; round += 1) {
    for (const place of places) writeFileSync(join(place, "prompts", "system.md"), `${place} in round ${round}\n`);
    const ended = await Promise.all(places.map((place) => apply(here, place)));
    const lost = ended.find(({ exit }) => exit !== 0);
    // They may have come one after the other: then each has published on what the other did.
    if (lost === undefined) continue;
    expect(lost).toMatchObject({ exit: 5, stderr: expect.stringContaining("somebody else has published") as string });
    expect(ended.filter(({ exit }) => exit === 0)).toHaveLength(1);
    return;
  }
  throw new Error(`in ${rounds} rounds no two came at once`);
});
