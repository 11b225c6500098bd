import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandHere } from "../run.fixture.ts";
import { agentDocument, lastSeen, until, writeAgents, writePrompt } from "./update.fixture.ts";

test("after a lost key an edited catalog is refused by the root that was pinned, and a restart takes it", async () => {
  await using here = commandHere();
  writeAgents(here, [agentDocument("scribe")]);
  writePrompt(here, "be kind");
  expect(await here.run(["deploy"])).toMatchObject({ exit: 0 });
  await until("it does turns", () => lastSeen(here, "scribe").prompt === "be kind");
  rmSync(join(here.folder, "state", "moorage", "trust", "signing.key"));
  expect(await here.run(["keys", "init", "--lost", "--yes"])).toMatchObject({ exit: 0 });

  writePrompt(here, "be brief");
  const applied = await here.run(["update", "apply"]);
  expect(applied.exit).toBe(4);
  expect(applied.stdout).toContain("run `moorage restart scribe`: it has pinned the trust root");
  expect(applied.stdout).not.toContain("correct it");
  expect(lastSeen(here, "scribe").prompt).toBe("be kind");
  const again = await here.run(["update", "apply"]);
  expect(again.exit).toBe(4);
  expect(again.stdout).toContain("run `moorage restart scribe`");
  expect((await here.run(["explain", "scribe"])).stdout).toContain("→ run `moorage restart scribe`");

  expect(await here.run(["restart", "scribe"])).toMatchObject({ exit: 0 });
  await until("it takes what it had refused", () => lastSeen(here, "scribe").prompt === "be brief");
});
