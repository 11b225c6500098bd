import { spawn, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Busy, createDatabase, Database, databasePath } from "./database.ts";
import { StateError } from "./state-error.ts";

const root = process.getuid?.() === 0;
let stateDir: string;

beforeEach(() => {
  stateDir = realpathSync(mkdtempSync(join(tmpdir(), "md-")));
});

afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

function open(): Database {
  return new Database(stateDir, { readOnly: false, busyMs: 50 });
}

function faultOf(body: () => unknown): StateError {
  try {
    body();
  } catch (error) {
    if (error instanceof StateError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

it("is private, whole from its first moment, and leaves nothing else behind", () => {
  createDatabase(stateDir, "t1");
  createDatabase(stateDir, "t2");
  expect(readdirSync(stateDir)).toEqual(["state.db"]);
  expect(statSync(databasePath(stateDir)).mode & 0o777).toBe(0o600);
  expect(statSync(stateDir).mode & 0o777).toBe(0o700);
  const database = open();
  database.write(() => database.nextVersion());
  for (const file of readdirSync(stateDir)) expect(statSync(join(stateDir, file)).mode & 0o077).toBe(0);
  database.close();
});

it("is made once by 24 processes at the same time, and loses none of their writes", async () => {
  const script = `
    import { createDatabase, Database } from ${JSON.stringify(fileURLToPath(new URL("./database.ts", import.meta.url)))};
    createDatabase(${JSON.stringify(stateDir)}, String(process.pid));
    const database = new Database(${JSON.stringify(stateDir)}, { readOnly: false, busyMs: 10000 });
    database.write(() => database.nextVersion());
    database.close();`;
  const exits = Array.from(
    { length: 24 },
    () =>
      new Promise<number | null>((resolve) => {
        const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], { stdio: "inherit" });
        child.once("exit", resolve);
      }),
  );
  expect(new Set(await Promise.all(exits))).toEqual(new Set([0]));
  const database = open();
  expect(database.get("SELECT counter FROM scope")?.["counter"]).toBe(25);
  database.close();
  expect(readdirSync(stateDir)).toEqual(["state.db"]);
}, 90_000);

it.each([
  ["a damaged head", (bytes: Buffer) => bytes.fill(0x55, 0, 100)],
  ["a damaged body", (bytes: Buffer) => bytes.fill(0x55, 100)],
  ["nothing at all", (bytes: Buffer) => bytes.subarray(0, 0)],
  ["half of it", (bytes: Buffer) => bytes.subarray(0, 3_000)],
])("tells a corrupt database with %s and leaves it as it is", (_name, damage) => {
  createDatabase(stateDir, "t");
  const damaged = damage(readFileSync(databasePath(stateDir)));
  writeFileSync(databasePath(stateDir), damaged);
  const fault = faultOf(open);
  expect(fault.code).toBe("stateCorrupt");
  expect(fault.message).toContain(stateDir);
  expect(readFileSync(databasePath(stateDir)).equals(damaged)).toBe(true);
});

it("refuses a newer form, and one without ours", () => {
  createDatabase(stateDir, "t");
  const sqlite = new DatabaseSync(databasePath(stateDir));
  sqlite.exec("UPDATE scope SET schema = 99");
  sqlite.close();
  expect(faultOf(open)).toMatchObject({ code: "stateNewer" });
});

it("waits a bounded time for another writer and then names it", async () => {
  createDatabase(stateDir, "t");
  const script = `
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const database = new DatabaseSync(${JSON.stringify(databasePath(stateDir))});
    database.exec("BEGIN IMMEDIATE");
    console.log("locked");
    process.stdin.resume();
    process.stdin.on("end", () => process.exit());`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const database = open();
  let thrown: unknown;
  try {
    database.write(() => database.nextVersion());
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Busy);
  // Reading goes on beside a writer.
  expect(database.get("SELECT counter FROM scope")?.["counter"]).toBe(1);
  const fault = database.fault(thrown);
  expect(fault.code).toBe("stateLocked");
  if (process.platform === "linux") expect(fault.message).toContain(`process ${child.pid} (`);
  child.stdin.end();
  await new Promise((resolve) => child.once("exit", resolve));
  database.write(() => database.nextVersion());
  database.close();
});

it("notices that its directory was deleted and made again", () => {
  createDatabase(stateDir, "t");
  const database = open();
  rmSync(stateDir, { recursive: true });
  expect(database.isInPlace()).toBe(false);
  mkdirSync(stateDir);
  createDatabase(stateDir, "t");
  expect(database.isInPlace()).toBe(false);
  expect(faultOf(() => database.write(() => database.nextVersion()))).toMatchObject({ code: "stateLost" });
  database.close();
});

it("rolls a write back whole when its body fails", () => {
  createDatabase(stateDir, "t");
  const database = open();
  expect(() =>
    database.write(() => {
      database.nextVersion();
      throw new StateError("stateFault", "no", "no");
    }),
  ).toThrow("no");
  expect(database.get("SELECT counter FROM scope")?.["counter"]).toBe(1);
  database.close();
});

it.runIf(root && process.platform === "linux")("loses nothing on a full disk, and goes on when there is space", () => {
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", stateDir]);
  expect(mounted.status).toBe(0);
  try {
    createDatabase(stateDir, "t");
    const database = open();
    database.write(() => database.change("INSERT INTO revives VALUES ('before', 1)"));
    const filler = join(stateDir, "filler");
    spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=4k"]);
    const fault = faultOf(() => {
      for (let at = 0; at < 200; at += 1)
        database.write(() => database.change("INSERT INTO revives VALUES (?, 2)", "x".repeat(4_000)));
    });
    expect(fault.code).toBe("stateDiskFull");
    expect(database.all("SELECT name FROM revives WHERE at = 1")).toEqual([{ name: "before" }]);
    rmSync(filler);
    database.write(() => database.change("INSERT INTO revives VALUES ('after', 1)"));
    expect(database.all("SELECT name FROM revives WHERE at = 1")).toHaveLength(2);
    database.close();
  } finally {
    spawnSync("umount", [stateDir]);
  }
});

it.runIf(root && process.platform === "linux")("says so when there is no space for a database at all", () => {
  expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=16k,mode=700", "tmpfs", stateDir]).status).toBe(0);
  try {
    expect(faultOf(() => createDatabase(stateDir, "t")).code).toBe("stateDiskFull");
    expect(readdirSync(stateDir)).toEqual([]);
  } finally {
    spawnSync("umount", [stateDir]);
  }
});

it("says that what lies in its place is no file, to who reads and to who writes", () => {
  mkdirSync(databasePath(stateDir));
  for (const readOnly of [true, false])
    expect(() => new Database(stateDir, { readOnly, busyMs: 50 })).toThrow(
      expect.objectContaining({ code: "stateCorrupt", message: expect.stringContaining("is no file") as string }),
    );
});
