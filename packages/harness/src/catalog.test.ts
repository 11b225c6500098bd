import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { catalogLimits, copyCatalog, insideCatalog, listCatalog, readCatalogFile } from "./catalog.ts";

let directory: string;
let source: string;
let target: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "catalog-"));
  source = join(directory, "source");
  target = join(directory, "copy");
  mkdirSync(join(source, "prompts"), { recursive: true });
  writeFileSync(join(source, "prompts", "system.md"), "be kind\n");
  writeFileSync(join(source, "routes.json"), "{}");
});
afterEach(() => rmSync(directory, { recursive: true }));

function replaceByFile(): void {
  rmSync(source, { recursive: true });
  writeFileSync(source, "no directory");
}

describe("a copy", () => {
  it("has what the source had, whatever becomes of that", async () => {
    expect(copyCatalog(source, target)).toEqual({ kind: "copied", files: 2, bytes: 10 });
    writeFileSync(join(source, "prompts", "system.md"), "be quick\n");
    expect(String(await readCatalogFile(target, "prompts/system.md"))).toBe("be kind\n");
    expect(await listCatalog(target)).toEqual([
      { path: "prompts/system.md", size: 8 },
      { path: "routes.json", size: 2 },
    ]);
  });

  it("is for its owner, to read alone, and can be removed", () => {
    chmodSync(join(source, "routes.json"), 0o755);
    copyCatalog(source, target);
    expect(statSync(join(target, "routes.json")).mode & 0o777).toBe(0o400);
    expect(statSync(join(target, "prompts")).mode & 0o777).toBe(0o700);
    rmSync(target, { recursive: true });
    expect(existsSync(target)).toBe(false);
  });

  it("follows a link inside", () => {
    symlinkSync("system.md", join(source, "prompts", "again.md"));
    copyCatalog(source, target);
    expect(readFileSync(join(target, "prompts", "again.md"), "utf8")).toBe("be kind\n");
  });

  it.each<readonly [string, string, () => void]>([
    ["a link that leads outside", "catalogOutside", () => symlinkSync("/etc", join(source, "out"))],
    ["a link that leads round", "catalogOutside", () => symlinkSync("..", join(source, "prompts", "round"))],
    ["a link to nothing", "catalogMissing", () => symlinkSync("nothing", join(source, "broken"))],
    ["what is no file", "catalogSpecial", () => execFileSync("mkfifo", [join(source, "pipe")])],
    ["a file as the catalog", "catalogMissing", () => replaceByFile()],
    ["a directory that is missing", "catalogMissing", () => rmSync(source, { recursive: true })],
    [
      "more bytes than a catalog may have",
      "catalogTooLarge",
      () => truncateSync(join(source, "routes.json"), catalogLimits.bytes + 1),
    ],
    ["a target that is taken", "catalogUnreadable", () => mkdirSync(target)],
  ])("refuses %s and leaves nothing", (_name, code, spoil) => {
    spoil();
    expect(copyCatalog(source, target)).toMatchObject({ kind: "refused", code });
    expect(existsSync(target)).toBe(false);
  });
});

describe("a path in the catalog", () => {
  it.each(["prompts/system.md", "a", "a/b/c", "..a/b..", "sp ace/ü"])("%j is inside", (path) => {
    expect(insideCatalog(path)).toBe(path);
  });

  it.each(["", "..", ".", "../a", "a/../b", "a/./b", "/etc/passwd", "a//b", "a/", "a\\..\\b", "a\0b"])(
    "%j is nowhere",
    (path) => {
      expect(insideCatalog(path)).toBeNull();
    },
  );

  it("to a directory or nothing has no bytes", async () => {
    copyCatalog(source, target);
    for (const path of ["prompts", "none", "routes.json/x", "x".repeat(300)])
      expect(await readCatalogFile(target, path)).toBeNull();
  });
});
