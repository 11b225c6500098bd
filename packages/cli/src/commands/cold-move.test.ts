import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ColdMove } from "@moorage/core";
import { readGate, writeMove } from "@moorage/core";
import { systemRandom } from "@moorage/keys";
import { awakeClock, openScope } from "@moorage/local";
import { expect, test, vi } from "vitest";
import type { Here } from "../run.fixture.ts";
import { commandHere } from "../run.fixture.ts";
import { agentDocument, until, writeAgents, writePrompt } from "./update.fixture.ts";

// Side by side, as each waits for most of its time: on a busy machine all of them take longer than one alone.
vi.setConfig({ testTimeout: 60_000 });

type Documents = Awaited<ReturnType<typeof openScope>>["documents"];

async function withDocuments<T>({ folder }: Here, use: (documents: Documents) => Promise<T>): Promise<T> {
  const stateDir = join(folder, "state/moorage");
  const clock = awakeClock();
  const options = { stateDir, mode: "write", launchEnv: {}, clock, random: systemRandom, registryDir: null } as const;
  const scope = await openScope(options);
  try {
    return await use(scope.documents);
  } finally {
    scope.close();
  }
}

const from = { wireVersion: 1, eventLogSchema: 1, crdApiVersion: "moorage.dev/v1alpha1" };

/** As a call left it that was killed before it asked. */
function moveOf(state: ColdMove["state"]): ColdMove {
  const members = [{ agent: "scribe", oldBuild: "b1", newBuild: "b2" }];
  const to = { ...from, wireVersion: 2 };
  const common = { fleet: "writers", members, from, to, bundle: null, migration: null, acrossNoReturn: false };
  return { format: 1, id: "m1", epoch: 2, decisions: [], ...common, state };
}

async function left(here: Here, state: ColdMove["state"]): Promise<void> {
  const text = writeMove(moveOf(state));
  await withDocuments(here, (documents) => documents.swap("move", "writers", null, text));
}

const held = { kind: "held", at: { kind: "stopped" }, why: "switch failed: no space" } as const;

test.concurrent("nothing is given to a fleet behind the back of its move, and doctor and the mailbox say where it stands", async () => {
  await using here = commandHere();
  writeAgents(here, [agentDocument("scribe")]);
  writePrompt(here, "be kind");
  expect(await here.run(["deploy"])).toMatchObject({ exit: 0 });
  writePrompt(here, "be brief");
  expect(await here.run(["update", "apply"])).toMatchObject({ exit: 0 });
  await left(here, held);
  const back = await here.run(["update", "rollback"]);
  expect(back, back.stdout).toMatchObject({ exit: 4 });
  expect(back.stderr).toMatch(/fleet writers: a cold move .* is held while stopped: switch failed: no space/);
  expect(back.stderr).toContain("`moorage update apply`");
  expect((await here.run(["bundle", "show"])).stdout).not.toMatch(/\b3\b.*be kind/);
  const looked = await here.run(["doctor"]);
  expect(looked).toMatchObject({ exit: 4 });
  expect(looked.stdout).toMatch(/✗ cold move: .*is held while stopped.*\n.*→ `moorage update apply`/);
  const listed = await here.run(["mailbox"]);
  expect(listed.stdout).toMatch(/is held while stopped.*it asks nothing now: `moorage update apply` goes on, or asks/);
});

test.concurrent("a move that waits for its approval holds up nothing", async () => {
  await using here = commandHere();
  writeAgents(here, [agentDocument("scribe")]);
  writePrompt(here, "be kind");
  expect(await here.run(["deploy"])).toMatchObject({ exit: 0 });
  writePrompt(here, "be brief");
  expect(await here.run(["update", "apply"])).toMatchObject({ exit: 0 });
  await left(here, { kind: "proposed" });
  const back = await here.run(["update", "rollback"]);
  expect(back, back.stderr).toMatchObject({ exit: 0 });
  expect((await here.run(["doctor"])).stdout).toMatch(/· cold move: .*waits for approval/);
});

function declareFormats(here: Here, wireVersion: number, eventLogSchema: number): void {
  const more = `  fingerprint: { wireVersion: ${wireVersion}, eventLogSchema: ${eventLogSchema}, crdApiVersion: moorage.dev/v1alpha1 }\n`;
  writeFileSync(join(here.folder, "agent.yaml"), agentDocument("scribe", { more }));
}

test.concurrent("a fleet of which nobody runs gets its new formats with the update, and starts with them", async () => {
  await using here = commandHere();
  writeAgents(here, []);
  writePrompt(here, "be kind");
  declareFormats(here, 1, 1);
  expect(await here.run(["deploy"])).toMatchObject({ exit: 0 });
  expect(await here.run(["stop", "--all"])).toMatchObject({ exit: 0 });
  declareFormats(here, 3, 1);
  const refused = await here.run(["deploy"]);
  expect(refused).toMatchObject({ exit: 4 });
  expect(refused.stdout + refused.stderr).toContain("`moorage update apply`");
  expect((await here.run(["update", "plan"])).stdout).toMatch(/scribe .*whole fleet moves +with the update/);
  const applied = await here.run(["update", "apply"]);
  expect(applied, applied.stdout + applied.stderr).toMatchObject({ exit: 0 });
  expect(applied.stdout).toContain("nobody of it runs: it moves (wire version 1 → 3) without asking");
  expect(applied.stdout).toContain("the fleet has the new formats (wire version 1 → 3); `moorage deploy` starts it");
  expect((await here.run(["mailbox"])).stdout).toContain("nothing waits for a person\n");
  const stored = await withDocuments(here, (documents) => readGate(documents, "writers"));
  expect(stored?.gate.open).toMatchObject({ wireVersion: 3 });
  expect((await here.run(["status"])).stdout).not.toMatch(/scribe +running/);
  const deployed = await here.run(["deploy"]);
  expect(deployed, deployed.stdout + deployed.stderr).toMatchObject({ exit: 0 });
  await until("it works by its catalog", () =>
    readFileSync(join(here.folder, "scribe.seen"), "utf8").endsWith("kind\n"),
  );
});

test.concurrent("where its event log moves, or data has to be migrated, it is asked for all the same", async () => {
  await using here = commandHere();
  writeAgents(here, []);
  writePrompt(here, "be kind");
  declareFormats(here, 1, 1);
  expect(await here.run(["deploy"])).toMatchObject({ exit: 0 });
  expect(await here.run(["stop", "--all"])).toMatchObject({ exit: 0 });
  declareFormats(here, 2, 1);
  expect(await here.run(["update", "apply", "--migration", "true"])).toMatchObject({ exit: 4 });
  declareFormats(here, 1, 2);
  expect((await here.run(["update", "plan"])).stdout).toMatch(/scribe .*whole fleet moves +after approval/);
  expect(await here.run(["update", "apply"])).toMatchObject({ exit: 4 });
  const listed = JSON.parse((await here.run(["mailbox", "--json"])).stdout) as {
    readonly notices: readonly { readonly id: string; readonly reason: string }[];
  };
  expect(listed.notices.map(({ reason }) => reason)).toEqual([
    "event-log schema 1 → 2: nobody of the fleet runs, and nobody is started; it gets the new formats; the event log moves, so that nothing leads back once it is migrated",
  ]);
  const approved = await here.run(["mailbox", "approve", listed.notices[0]?.id ?? ""]);
  expect(approved, approved.stdout + approved.stderr).toMatchObject({ exit: 0 });
  expect(await here.run(["deploy"])).toMatchObject({ exit: 0 });
});
