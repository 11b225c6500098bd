import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { linuxProcessTable } from "./linux-table.ts";

const linux = process.platform === "linux";
let directory: string;

beforeEach(() => {
  directory = fs.mkdtempSync(join(tmpdir(), "table-"));
});

afterEach(() => {
  fs.rmSync(directory, { recursive: true, force: true });
});

async function mine(outputs: readonly string[], since = 0) {
  const scan = await linuxProcessTable().scan({ since, outputs });
  return scan.kind === "read" ? scan.processes.find(({ pid }) => pid === process.pid) : undefined;
}

test.runIf(linux)("who can write to an output holds it, even when its name is gone; who reads does not", async () => {
  const path = join(directory, "out");
  execFileSync("mkfifo", [path]);
  expect((await mine([path]))?.holdsOutput).toBe(false);
  const reader = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  expect((await mine([path]))?.holdsOutput).toBe(false);
  const writer = fs.openSync(path, fs.constants.O_WRONLY);
  expect((await mine([path]))?.holdsOutput).toBe(true);
  expect((await mine([`${path}2`]))?.holdsOutput).toBe(false);
  fs.unlinkSync(path);
  expect((await mine([path]))?.holdsOutput).toBe(true);
  fs.closeSync(writer);
  fs.closeSync(reader);
});

test.runIf(linux)("what started before is not looked at more closely", async () => {
  const entry = await mine([], 0);
  expect(entry?.command).toContain(" ");
  expect(entry?.belonging.kind).toBe("none");
  const older = await mine([], (entry?.start ?? 0) + 1);
  expect(older).toMatchObject({ belonging: { kind: "unreadable" }, holdsOutput: null, start: entry?.start });
});

test("without a /proc nothing can be told", async () => {
  const table = linuxProcessTable(join(directory, "absent"));
  expect((await table.scan(null)).kind).toBe("unreadable");
  fs.mkdirSync(join(directory, "empty"));
  expect((await linuxProcessTable(join(directory, "empty")).scan(null)).kind).toBe("unreadable");
});
