import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exampleFolder } from "../resources.ts";
import type { Here } from "../run.fixture.ts";
import { commandHere } from "../run.fixture.ts";

let here: Here;
beforeEach(() => {
  here = commandHere();
  mkdirSync(join(here.folder, "catalog"));
  write("catalog/system.md", "be kind\n");
  write("schema/log.json", '{"version":1}\n');
  write("fingerprint.yaml", "eventLogSchema: [schema]\n");
  declare();
});
afterEach(() => here[Symbol.asyncDispose]());

function write(name: string, text: string): void {
  const path = join(here.folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}

function declare(eventLogSchema = 1, more = ""): void {
  write(
    "agent.yaml",
    `apiVersion: moorage.dev/v1alpha1
kind: Agent
metadata: { name: a }
spec:
  run: { command: [sleep, "1"] }
  catalog: ./catalog
  fingerprint: { eventLogSchema: ${eventLogSchema} }
${more}`,
  );
}

const lockFile = (): string => join(here.folder, "fingerprint.lock.json");

test("the axes are printed and the lock is written once; a check then changes nothing and is content", async () => {
  expect(await here.run(["fingerprint", "--check"])).toMatchObject({ exit: 4 });
  expect(existsSync(lockFile())).toBe(false);
  const first = await here.run(["fingerprint"]);
  expect(first).toMatchObject({ exit: 0 });
  expect(first.stdout).toMatch(/toolCatalogHash +v1:sha256:[0-9a-f]{64}\n +build +sha256:[0-9a-f]{64}/);
  const lock = readFileSync(lockFile(), "utf8");
  expect(await here.run(["fingerprint", "--check"])).toMatchObject({ exit: 0 });
  expect(readFileSync(lockFile(), "utf8")).toBe(lock);
});

test("content that moved without its version is exit 4, with the file and what to do; the version or a word mends it", async () => {
  await here.run(["fingerprint"]);
  const lock = readFileSync(lockFile(), "utf8");
  write("schema/log.json", '{"version":2}\n');
  for (const args of [["fingerprint", "--check"], ["fingerprint"]]) {
    const moved = await here.run(args);
    expect(moved).toMatchObject({ exit: 4 });
    expect(moved.stdout).toMatch(/event-log schema 1 moved, and the version did not: schema\/log\.json \(changed\)/);
    expect(moved.stdout).toContain("`moorage fingerprint --accept compatible`");
    expect(readFileSync(lockFile(), "utf8")).toBe(lock);
  }
  expect(await here.run(["fingerprint", "--accept", "compatible"])).toMatchObject({ exit: 0 });
  expect(await here.run(["fingerprint", "--check"])).toMatchObject({ exit: 0 });
  write("schema/log.json", '{"version":3}\n');
  declare(2);
  expect(await here.run(["fingerprint"])).toMatchObject({ exit: 0 });
  declare(1);
  expect((await here.run(["fingerprint"])).stdout).toContain("stood for other content before");
});

test("the catalog is an axis of its own: an edit moves its hash and no format", async () => {
  const hashOf = async (): Promise<string> => {
    const { stdout } = await here.run(["fingerprint", "--json"]);
    return (JSON.parse(stdout) as { agents: [{ fingerprint: { toolCatalogHash: string } }] }).agents[0].fingerprint
      .toolCatalogHash;
  };
  const before = await hashOf();
  write("catalog/system.md", "be kind\r\n");
  expect(await hashOf()).toBe(before);
  write("catalog/system.md", "be brief\n");
  expect(await hashOf()).not.toBe(before);
  expect(await here.run(["fingerprint", "--check"])).toMatchObject({ exit: 0 });
});

test("what is wrong is exit 2 with its place, and nothing is written", async () => {
  write("fingerprint.yaml", "eventLogSchema: [schema]\neventLogSchema: [other]\n");
  const twice = await here.run(["fingerprint"]);
  expect(twice).toMatchObject({ exit: 2 });
  expect(twice.stderr).toMatch(/fingerprint\.yaml:2/);
  write("fingerprint.yaml", "eventLogSchema: [gone]\n");
  expect((await here.run(["fingerprint"])).exit).toBe(2);
  write("fingerprint.yaml", "");
  declare(
    1,
    `---\napiVersion: moorage.dev/v1alpha1\nkind: Agent\nmetadata: { name: b }\nspec:\n  run: { command: [sleep, "1"] }\n  fingerprint: { eventLogSchema: 2 }\n`,
  );
  const differ = await here.run(["fingerprint", "--json"]);
  expect(differ).toMatchObject({ exit: 2 });
  expect(JSON.parse(differ.stdout)).toMatchObject({ kind: "Error", code: "formatsDiffer" });
  expect(await here.run(["fingerprint", "--accept", "anything"])).toMatchObject({ exit: 2 });
  expect(existsSync(lockFile())).toBe(false);
});

test("the example has a fingerprint, wherever the call comes from", async () => {
  const folder = exampleFolder("scribe").pathname;
  const { exit, stdout } = await here.run(["fingerprint", folder, "--check"]);
  expect(exit).toBe(0);
  expect(stdout).toContain("scribe:");
  expect(stdout).toContain("fingerprint.yaml names no files here");
});
