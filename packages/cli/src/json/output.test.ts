import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import type { Here } from "../run.fixture.ts";
import { commandHere } from "../run.fixture.ts";
import type { ResultKind } from "./shapes.ts";
import { resultShape } from "./shapes.ts";

/** Runs with --json and holds every line of the output to its shape. */
async function objects(here: Here, argv: readonly string[], exit: number, kind: ResultKind): Promise<object[]> {
  const end = argv.indexOf("--");
  const at = end === -1 ? argv.length : end;
  const ran = await here.run([...argv.slice(0, at), "--json", ...argv.slice(at)]);
  expect({ exit: ran.exit, argv, stderr: ran.stderr }).toMatchObject({ exit });
  const lines = ran.stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const value = JSON.parse(line) as object;
    const checked = z.safeParse(resultShape(kind), value);
    expect({ argv, issues: checked.error?.issues ?? [] }).toEqual({ argv, issues: [] });
    return value;
  });
}

test("every command prints exactly the objects that are published", async () => {
  await using here = commandHere();
  const declare = (spec: string): void =>
    writeFileSync(
      join(here.folder, "agent.yaml"),
      `apiVersion: moorage.dev/v1alpha1\nkind: Agent\nmetadata: { name: a }\nspec:\n  ${spec}\n  drain: 1s\n  grace: 2s\n`,
    );
  const one = async (argv: readonly string[], exit: number, kind: ResultKind): Promise<object> => {
    const all = await objects(here, argv, exit, kind);
    expect(all).toHaveLength(1);
    return all[0] ?? {};
  };
  await one(["deploy"], 2, "Error");
  await one(["doctor"], 0, "DoctorResult");
  await one(["status"], 0, "StatusResult");
  declare('run: { command: [sh, -c, "echo hello; exec sleep 600"] }');
  expect(await one(["deploy", "--dry-run"], 0, "DeployPreview")).toMatchObject({
    agents: [{ action: "create", rule: 1 }],
  });
  expect(await one(["explain", "a"], 0, "ExplainResult")).toMatchObject({
    status: { state: "absent" },
    declared: true,
  });
  expect(await one(["deploy"], 0, "DeployResult")).toMatchObject({ agents: [{ outcome: "started", condition: null }] });
  expect(await one(["deploy"], 0, "DeployResult")).toMatchObject({
    agents: [{ outcome: "alreadyRunning", intent: "current", requests: 1 }],
  });
  expect(await one(["status"], 0, "StatusResult")).toMatchObject({ agents: [{ agent: "a", state: "running" }] });
  expect(await one(["explain", "a"], 0, "ExplainResult")).toMatchObject({ deploy: { action: "noOp", rule: 3 } });
  declare('run: { command: [sh, -c, "echo other; exec sleep 600"] }');
  expect(await one(["deploy", "--require-current"], 4, "DeployResult")).toMatchObject({
    agents: [{ outcome: "alreadyRunning", intent: "diverged", condition: { code: "diverged" } }],
  });
  expect(await one(["deploy", "a", "--", "sleep", "600"], 4, "DeployResult")).toMatchObject({
    agents: [{ outcome: "alreadyRunning", condition: { code: "otherDeclaration" } }],
  });
  expect(await one(["restart", "a"], 0, "RestartResult")).toMatchObject({
    agents: [{ stop: { outcome: "stopped" }, start: { outcome: "started", intent: "current" } }],
  });
  expect(await objects(here, ["logs", "a"], 0, "LogLine")).toMatchObject([
    { agent: "a", text: "other", stream: "stdout" },
  ]);
  expect((await objects(here, ["journal", "a"], 0, "JournalEntry")).length).toBeGreaterThan(5);
  expect(await one(["stop", "a", "--purge"], 0, "StopResult")).toMatchObject({
    agents: [{ outcome: "stopped", purged: true }],
  });
  expect(await one(["stop", "a"], 0, "StopResult")).toMatchObject({ agents: [{ outcome: "nothing" }] });
  expect(await one(["logs", "a"], 4, "Error")).toMatchObject({ code: "noOutput" });
  await one(["init"], 4, "Error");
  await one(["version"], 0, "Version");
  await one(["completion", "bash"], 0, "Completion");
  expect(await one(["deploy", "--on", "kubernetes"], 2, "Error")).toMatchObject({ code: "declarationInvalid" });
}, 120_000);
