/** Records of what was published and given, replaced by something else: told, mended by what is said, and never waited for. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { commandHere } from "../run.fixture.ts";
import { agentDocument, settled, started, writePrompt } from "./update.fixture.ts";

vi.setConfig({ testTimeout: 60_000 });

const replaced = [
  ["a directory", (path: string): void => mkdirSync(path)],
  [
    "a FIFO",
    (path: string): void => {
      spawnSync("mkfifo", [path]);
    },
  ],
] as const;

test.concurrent.each(replaced)("what is given to the fleet replaced by %s", async (_, put) => {
  await using here = commandHere();
  await started(here, [agentDocument("scribe")]);
  await settled(here, "scribe");
  const given = join(here.folder, "state/moorage/bundles/channels/writers/prompts/assigned/0000000001");
  rmSync(given);
  put(given);
  const doctor = await here.run(["doctor"]);
  expect(doctor.exit).toBe(4);
  expect(doctor.stdout).toContain(`bundles: the record of what was published, ${given}, is damaged`);
  // With nothing to publish, what is said is what mends it.
  expect(await here.run(["update", "apply"])).toMatchObject({ exit: 1 });
  rmSync(given, { recursive: true });
  expect(await here.run(["update", "apply"])).toMatchObject({ exit: 0 });
  expect((await here.run(["doctor"])).stdout).not.toContain("bundles:");
  // A later one takes its place by itself.
  rmSync(given);
  put(given);
  writePrompt(here, "be brief");
  expect(await here.run(["update", "apply"])).toMatchObject({ exit: 0 });
  expect((await here.run(["doctor"])).stdout).not.toContain("bundles:");
});

test.concurrent.each(replaced)("what was published replaced by %s", async (_, put) => {
  await using here = commandHere();
  await started(here, [agentDocument("scribe")]);
  await settled(here, "scribe");
  const head = join(here.folder, "state/moorage/bundles/channels/writers/prompts/0000000001");
  rmSync(head);
  put(head);
  for (const argv of [
    ["update", "apply"],
    ["update", "rollback"],
    ["bundle", "show"],
  ]) {
    const { exit, stderr } = await here.run(argv);
    expect({ argv, exit }).toEqual({ argv, exit: 1 });
    expect(stderr).toContain("`moorage doctor`");
  }
  expect(await here.run(["doctor"])).toMatchObject({
    exit: 4,
    stdout: expect.stringContaining("→ restore it from a copy of the state directory") as string,
  });
});
