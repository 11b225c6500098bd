import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { folderSignature } from "./folder-watch.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "watched-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each([
  ["a link to itself", "circle"],
  ["a link to its own folder", "."],
  ["a link to nothing", "nothing"],
])("looks past %s, and sees what is saved beside it", (_what, target) => {
  symlinkSync(target, join(folder, "circle"));
  const before = folderSignature([folder]);
  mkdirSync(join(folder, "prompts"));
  writeFileSync(join(folder, "prompts", "system.md"), "be kind\n");
  expect(folderSignature([folder])).not.toBe(before);
});
