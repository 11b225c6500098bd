import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Mount } from "./mount.ts";
import type { DirectoryCheck } from "./state-dir.ts";
import { checkStateDir, defaultStateDir } from "./state-dir.ts";
import { StateError } from "./state-error.ts";

const euid = process.geteuid?.() ?? 0;
let place: string;
let stateDir: string;

beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "mp-")));
  stateDir = join(place, "state");
});

afterEach(() => rmSync(place, { recursive: true, force: true }));

function check(changes: Partial<DirectoryCheck> = {}, path = stateDir): string {
  try {
    return checkStateDir(path, { mode: "write", euid, mountOf: () => null, ...changes }) ?? "nothing";
  } catch (error) {
    if (error instanceof StateError) return error.code;
    throw error;
  }
}

function mounted(type: string, readOnly = false): (path: string) => Mount {
  return () => ({ point: "/mnt", type, readOnly });
}

it("makes a missing directory for who writes, and nothing for who reads", () => {
  expect(check({ mode: "read" })).toBe("nothing");
  expect(existsSync(stateDir)).toBe(false);
  expect(check()).toBe(stateDir);
});

it("resolves links, so that one directory has one name", () => {
  mkdirSync(join(place, "real"));
  symlinkSync(join(place, "real"), stateDir);
  expect(check()).toBe(join(place, "real"));
});

it("refuses what is no directory", () => {
  writeFileSync(stateDir, "");
  expect(check()).toBe("stateNotADirectory");
});

it.each(["read", "write"] as const)("refuses a path at which no directory can be, to who would %s", (mode) => {
  writeFileSync(stateDir, "");
  symlinkSync("round", join(place, "round"));
  symlinkSync(join(place, "gone", "away"), join(place, "dangling"));
  for (const path of [
    join(stateDir, "below"),
    join(place, "round"),
    join(place, "dangling"),
    join(place, "x".repeat(300)),
  ])
    expect(check({ mode }, path)).toBe("stateNotADirectory");
});

it.each(["nfs4", "9p", "virtiofs", "fuse.sshfs"])("refuses %s before the first write", (type) => {
  expect(check({ mountOf: mounted(type) })).toBe("stateUnsupportedFileSystem");
  expect(existsSync(stateDir)).toBe(false);
});

it("refuses a read-only mount to who writes, and lets who reads look", () => {
  mkdirSync(stateDir);
  expect(check({ mountOf: mounted("ext4", true) })).toBe("stateReadOnly");
  expect(check({ mode: "read", mountOf: mounted("ext4", true) })).toBe(stateDir);
});

it.runIf(euid === 0)("refuses another user's directory, database or home before the first write", () => {
  mkdirSync(stateDir);
  chownSync(stateDir, 4242, 4242);
  expect(check()).toBe("stateOtherOwner");
  rmSync(stateDir, { recursive: true });
  chownSync(place, 4242, 4242);
  expect(check()).toBe("stateOtherOwner");
  expect(existsSync(stateDir)).toBe(false);
});

it.runIf(euid === 0)("tells who may not write there", () => {
  chmodSync(place, 0o755);
  const script = `
    import { checkStateDir } from ${JSON.stringify(new URL("./state-dir.ts", import.meta.url).pathname)};
    process.setuid(4242);
    try { checkStateDir(${JSON.stringify(stateDir)}, { mode: "write", euid: 4242, mountOf: () => null }); }
    catch (error) { console.log(error.code); }`;
  const child = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", script], { encoding: "utf8" });
  expect(child.stdout.trim()).toBe("stateNotWritable");
});

it("finds the default place, and says when there is none", () => {
  expect(defaultStateDir({ XDG_STATE_HOME: "/x" })).toBe("/x/moorage");
  expect(defaultStateDir({ XDG_STATE_HOME: "relative", HOME: "/home/me" })).toBe("/home/me/.local/state/moorage");
  expect(() => defaultStateDir({})).toThrow(expect.objectContaining({ code: "homeUnset" }));
});
