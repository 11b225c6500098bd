import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Here } from "../run.fixture.ts";
import { commandHere } from "../run.fixture.ts";

const declaration = (name: string, more = ""): string =>
  `apiVersion: moorage.dev/v1alpha1\nkind: Agent\nmetadata: { name: ${name} }\nspec:\n  fleet: writers\n  run: { command: [sleep, "60"] }\n  catalog: ./prompts\n${more}`;

function prepare({ folder }: Here, documents = declaration("scribe")): void {
  mkdirSync(join(folder, "prompts"), { recursive: true });
  writeFileSync(join(folder, "prompts", "system.md"), "be kind\n");
  writeFileSync(join(folder, "agent.yaml"), documents);
}

const state = ({ folder }: Here, ...below: string[]): string => join(folder, "state", "moorage", ...below);
const published = (here: Here, catalog = "prompts"): string[] => {
  const folder = state(here, "bundles", "channels", "writers", catalog);
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^\d{10}$/.test(name)) : [];
};

test("the first deploy publishes the catalog without a question, and a later one starts what is published", async () => {
  await using here = commandHere();
  prepare(here);
  expect(await here.run(["deploy"])).toMatchObject({ exit: 0, stderr: "" });
  expect(published(here)).toEqual(["0000000001"]);
  expect(statSync(state(here, "trust", "signing.key")).mode & 0o777).toBe(0o600);

  writeFileSync(join(here.folder, "prompts", "system.md"), "be brief\n");
  // What runs goes on with what it has, and that is said.
  const again = await here.run(["deploy"]);
  expect(again).toMatchObject({ exit: 0, stderr: "" });
  expect(again.stdout).toContain("its catalog was edited since 1: `moorage update apply`");
  expect((await here.run(["status", "--fleet"])).stdout).toContain("its catalog was edited since 1");
  expect((await here.run(["status"])).stdout).not.toContain("edited");
  await here.run(["stop", "scribe"]);
  const later = await here.run(["deploy", "--json"]);
  expect(later).toMatchObject({ exit: 0, stderr: expect.stringContaining("edited since") as string });
  expect(later.stderr).toContain("moorage update apply");
  // Which one it starts on is not the channel's alone to say: what failed there is held back.
  expect(later.stderr).not.toContain("it starts on");
  expect(JSON.parse(later.stdout)).toMatchObject({ kind: "DeployResult", agents: [{ outcome: "started" }] });
  expect(published(here)).toEqual(["0000000001"]);
});

test.each([
  ["a key", "notes.md", "one\ntwo\nAKIAIOSFODNN7EXAMPLE is it\n", "notes.md:3"],
  ["a key in twice", "tools.json", '{\n "a": 1,\n "a": 2\n}\n', "tools.json:3"],
])("a catalog with %s is refused with file and line before anything is there", async (_what, file, text, place) => {
  await using here = commandHere();
  prepare(here);
  writeFileSync(join(here.folder, "prompts", file), text);
  const dry = await here.run(["deploy", "--dry-run"]);
  expect(dry).toMatchObject({ exit: 2, stdout: expect.stringContaining(place) as string });
  const refused = await here.run(["deploy"]);
  expect(refused.exit).toBe(2);
  expect(refused.stdout).toContain(place);
  expect(refused.stdout).not.toContain("AKIAIOSFODNN7EXAMPLE");
  expect(published(here)).toEqual([]);
  expect(existsSync(state(here, "trust"))).toBe(false);
  expect((await here.run(["status"])).stdout).toContain("no agent is here");
  // And not even the fleet was given its formats.
  rmSync(join(here.folder, "prompts", file));
  writeFileSync(join(here.folder, "agent.yaml"), declaration("scribe", "  fingerprint: { wireVersion: 7 }\n"));
  expect(await here.run(["deploy"])).toMatchObject({ exit: 0 });
});

test("agents of one fleet with one folder start together on one publication", async () => {
  await using here = commandHere();
  prepare(here, ["a", "b", "c"].map((name) => declaration(name)).join("---\n"));
  expect(await here.run(["deploy"])).toMatchObject({ exit: 0, stderr: "" });
  expect(published(here)).toEqual(["0000000001"]);
});

test("a start with other formats than its fleet's is refused, and is told the way", async () => {
  await using here = commandHere();
  const other = declaration("b", "  fingerprint: { wireVersion: 2 }\n").replace(
    "catalog: ./prompts",
    "catalog: ./other",
  );
  prepare(here, `${declaration("a")}---\n${other}`);
  mkdirSync(join(here.folder, "other"));
  writeFileSync(join(here.folder, "other", "system.md"), "x\n");
  expect(await here.run(["deploy", "a"])).toMatchObject({ exit: 0 });
  const dry = await here.run(["deploy", "b", "--dry-run"]);
  expect(dry).toMatchObject({ exit: 4, stdout: expect.stringContaining("two formats never run") as string });
  const refused = await here.run(["deploy", "b"]);
  expect(refused).toMatchObject({
    exit: 4,
    stdout: expect.stringContaining("two formats never run side by side") as string,
  });
  expect(published(here, "other")).toEqual([]);
});

test("a running agent whose formats were declared anew is sent to the update that moves them, and not to a restart that is refused", async () => {
  await using here = commandHere();
  prepare(here);
  expect(await here.run(["deploy"])).toMatchObject({ exit: 0 });
  writeFileSync(join(here.folder, "agent.yaml"), declaration("scribe", "  fingerprint: { wireVersion: 2 }\n"));
  for (const argv of [["deploy"], ["deploy", "--dry-run"]]) {
    const { exit, stdout } = await here.run(argv);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/the declaration has changed since it was started: its wire version is 2/);
    expect(stdout).toContain("→ `moorage update apply` moves the whole fleet");
    expect(stdout).not.toContain("moorage restart");
  }
  const strict = await here.run(["deploy", "--require-current"]);
  expect(strict).toMatchObject({ exit: 4, stdout: expect.not.stringContaining("moorage restart") as string });
  expect(await here.run(["restart", "scribe"])).toMatchObject({ exit: 4 });
});

test("P2: a restart stops nothing that it could not start again", async () => {
  await using here = commandHere();
  prepare(here);
  await here.run(["deploy"]);
  const pid = async (): Promise<unknown> =>
    (JSON.parse((await here.run(["status", "--json"])).stdout) as { agents: { pid: unknown }[] }).agents[0]?.pid;
  const before = await pid();
  const other = "  fingerprint: { wireVersion: 2, eventLogSchema: 1, crdApiVersion: moorage.dev/v1alpha1 }\n";
  writeFileSync(join(here.folder, "agent.yaml"), declaration("scribe", other));
  const restarted = await here.run(["restart", "scribe"]);
  expect(restarted).toMatchObject({ exit: 4, stderr: expect.stringContaining("scribe is not stopped") as string });
  expect(await pid()).toBe(before);

  writeFileSync(join(here.folder, "agent.yaml"), declaration("scribe"));
  rmSync(state(here, "trust", "signing.key"));
  expect(await here.run(["keys", "init", "--lost", "--yes"])).toMatchObject({ exit: 0 });
  expect(await here.run(["restart", "scribe"])).toMatchObject({ exit: 4 });
  expect(await pid()).toBe(before);
  expect(await here.run(["update", "apply", "--deadline", "0"])).toBeDefined();
  expect(await here.run(["restart", "scribe"])).toMatchObject({ exit: 0 });
});
