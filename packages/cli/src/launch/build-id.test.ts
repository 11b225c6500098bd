import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "@moorage/keys";
import { afterEach, beforeEach, expect, test } from "vitest";
import { undeclaredAgent } from "../declaration/agent.ts";
import { buildId } from "./build-id.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "build-"));
  writeFileSync(join(folder, "agent.ts"), "one");
  writeFileSync(join(folder, "other.ts"), "one");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function id(command: string[], files: string[] | null = null): string {
  return buildId(
    { ...undeclaredAgent("a", command, folder), files: files?.map((name) => join(folder, name)) ?? null },
    sha256,
  );
}

test("it is the same for the same command and content, wherever the folder lies", () => {
  const before = id(["node", "agent.ts"]);
  expect(before).toMatch(/^sha256:[0-9a-f]{64}$/);
  const elsewhere = mkdtempSync(join(tmpdir(), "build-"));
  writeFileSync(join(elsewhere, "agent.ts"), "one");
  expect(buildId(undeclaredAgent("b", ["node", "agent.ts"], elsewhere), sha256)).toBe(before);
  rmSync(elsewhere, { recursive: true });
});

test("the script that the command names counts, and no other file", () => {
  const before = id(["node", "--flag", "agent.ts"]);
  writeFileSync(join(folder, "other.ts"), "two");
  expect(id(["node", "--flag", "agent.ts"])).toBe(before);
  writeFileSync(join(folder, "agent.ts"), "two");
  expect(id(["node", "--flag", "agent.ts"])).not.toBe(before);
});

test("declared files count instead", () => {
  const before = id(["node", "agent.ts"], ["other.ts"]);
  writeFileSync(join(folder, "agent.ts"), "two");
  expect(id(["node", "agent.ts"], ["other.ts"])).toBe(before);
  writeFileSync(join(folder, "other.ts"), "two");
  expect(id(["node", "agent.ts"], ["other.ts"])).not.toBe(before);
});

test("each argument counts", () => {
  expect(new Set([id(["a"]), id(["a", ""]), id(["a", "b c"]), id(["a", "b", "c"])]).size).toBe(4);
});

test("a declared file that is not there is refused by name", () => {
  expect(() => id(["a"], ["none.ts"])).toThrow(/none\.ts.*is not there/);
});

test("a data file among the arguments of a program was taken for its script, and the agent seemed changed for ever", () => {
  const before = id(["./agent.ts", "other.ts"]);
  writeFileSync(join(folder, "other.ts"), "two");
  expect(id(["./agent.ts", "other.ts"])).toBe(before);
  writeFileSync(join(folder, "agent.ts"), "two");
  expect(id(["./agent.ts", "other.ts"])).not.toBe(before);
});
