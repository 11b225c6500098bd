import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeDirectory } from "./make-directory.ts";

it("makes what is missing, private, and is content with what is there", () => {
  const folder = mkdtempSync(join(tmpdir(), "moorage-make-"));
  try {
    const path = join(folder, "a", "b", "c");
    makeDirectory(path);
    makeDirectory(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o700);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it.runIf(process.platform === "linux")("ends where a parent is there and nothing can be made in it", () => {
  expect(() => makeDirectory("/proc/nope/deeper")).toThrow(/ENOENT/);
});
