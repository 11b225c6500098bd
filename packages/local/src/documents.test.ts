import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import type { Documents } from "@moorage/core";
import { awakeClock } from "@moorage/harness";
import { systemRandom } from "@moorage/keys";
import { afterEach, beforeEach, expect, it } from "vitest";
import { moduleArguments, moduleName } from "./caller.fixture.ts";
import { createDatabase, Database, databasePath } from "./database.ts";
import { documentBytesAtMost, openDocuments } from "./documents.ts";
import { endCallers } from "./scope.fixture.ts";

let stateDir: string;
const opened: Database[] = [];
const started: ChildProcess[] = [];

beforeEach(() => {
  stateDir = realpathSync(mkdtempSync(join(tmpdir(), "md-")));
});

afterEach(async () => {
  await endCallers(started);
  for (const database of opened.splice(0)) database.close();
  rmSync(stateDir, { recursive: true, force: true });
});

function open(place = stateDir, readOnly = false): Documents {
  if (!readOnly) createDatabase(place, systemRandom.token(8));
  const database = new Database(place, { readOnly, busyMs: 50 });
  opened.push(database);
  return openDocuments({ database, clock: awakeClock(), random: systemRandom });
}

/** The lines of another process in which `documents` is open. */
function otherProcess(body: string): { readonly child: ChildProcess; readonly lines: AsyncIterator<string> } {
  const script = `
    import { Database } from ${moduleName("./database.ts")};
    import { openDocuments } from ${moduleName("./documents.ts")};
    import { awakeClock } from ${moduleName("../../harness/src/index.ts")};
    import { systemRandom } from ${moduleName("../../keys/src/index.ts")};
    const database = new Database(${JSON.stringify(stateDir)}, { readOnly: false, busyMs: 50 });
    const documents = openDocuments({ database, clock: awakeClock(), random: systemRandom });
    ${body}`;
  const child = spawn(process.execPath, [...moduleArguments, script], { stdio: ["pipe", "pipe", "inherit"] });
  started.push(child);
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

it("swaps what was seen, tells who came too late, and never gives a revision twice", async () => {
  const documents = open();
  expect(await documents.read("gate", "writers")).toBeNull();
  expect(await documents.swap("gate", "writers", null, "one")).toBe("swapped");
  expect(await documents.swap("gate", "writers", null, "two")).toBe("moved");
  const first = await documents.read("gate", "writers");
  expect(first).toMatchObject({ name: "writers", text: "one" });
  const seen = first?.revision ?? 0;
  expect(await documents.swap("gate", "writers", seen, null)).toBe("swapped");
  expect(await documents.read("gate", "writers")).toBeNull();
  expect(await documents.swap("gate", "writers", seen, "late")).toBe("moved");
  expect(await documents.swap("gate", "writers", null, "three")).toBe("swapped");
  expect((await documents.read("gate", "writers"))?.revision).toBeGreaterThan(seen);
  expect(await documents.swap("gate", "writers", seen, "late")).toBe("moved");
  expect((await documents.read("gate", "writers"))?.text).toBe("three");
});

it("wakes nobody who waits for instances", async () => {
  const documents = open();
  const touched = (): number => statSync(databasePath(stateDir)).mtimeMs;
  utimesSync(databasePath(stateDir), 1, 1);
  expect(await documents.swap("notice", "n", null, "one")).toBe("swapped");
  expect(touched()).toBe(1_000);
  opened[0]?.write(() => opened[0]?.nextVersion());
  expect(touched()).toBeGreaterThan(1_000);
});

it("keeps kinds apart, and lists one in the order of its names", async () => {
  const documents = open();
  for (const name of ["b", "a", "c"]) await documents.swap("notice", name, null, `the ${name}`);
  await documents.swap("move", "a", null, "another a");
  expect((await documents.list("notice")).map(({ text }) => text)).toEqual(["the a", "the b", "the c"]);
  expect(await documents.list("release")).toEqual([]);
});

it("takes no document that is none, and leaves what was there", async () => {
  const documents = open();
  const most = "x".repeat(documentBytesAtMost);
  expect(await documents.swap("move", "writers", null, most)).toBe("swapped");
  const seen = (await documents.read("move", "writers"))?.revision ?? 0;
  await expect(documents.swap("move", "writers", seen, `${most}x`)).rejects.toMatchObject({ code: "stateFault" });
  await expect(documents.swap("move", "", null, "x")).rejects.toThrow("cannot be called");
  await expect(documents.swap("move", "x".repeat(254), null, "x")).rejects.toThrow("cannot be called");
  expect((await documents.read("move", "writers"))?.text).toBe(most);
});

it("goes on in a database of before there were documents, while somebody has it open", async () => {
  createDatabase(stateDir, "t");
  const old = new DatabaseSync(databasePath(stateDir));
  old.exec("DROP TABLE documents");
  const supervisor = old.prepare("UPDATE scope SET clock_last = clock_last + 1 RETURNING schema");
  expect(supervisor.get()).toEqual({ schema: 1 });
  const looking = open(stateDir, true);
  expect(await looking.list("notice")).toEqual([]);
  const documents = open();
  expect(await documents.read("notice", "n")).toBeNull();
  expect(await documents.swap("notice", "n", 7, "none was seen")).toBe("moved");
  expect(await documents.swap("notice", "n", null, "told")).toBe("swapped");
  expect((await looking.read("notice", "n"))?.text).toBe("told");
  expect(supervisor.get()).toEqual({ schema: 1 });
  old.close();
});

it("two processes swap at once: each time one wins, and the other is told", async () => {
  const documents = open();
  await documents.swap("gate", "writers", null, "begin");
  const body = (who: string): string => `
    const seen = new Map();
    for await (const line of (await import("node:readline")).createInterface({ input: process.stdin })) {
      if (line === "go") console.log(await documents.swap("gate", "writers", seen.get("r"), "${who}"));
      else { seen.set("r", (await documents.read("gate", "writers")).revision); console.log("seen"); }
    }`;
  const both = [otherProcess(body("one")), otherProcess(body("other"))];
  const say = async (word: string): Promise<(string | undefined)[]> => {
    for (const { child } of both) child.stdin?.write(`${word}\n`);
    return Promise.all(both.map(async ({ lines }) => (await lines.next()).value));
  };
  for (let round = 0; round < 20; round += 1) {
    expect(await say("look")).toEqual(["seen", "seen"]);
    const answers = await say("go");
    expect(new Set(answers)).toEqual(new Set(["moved", "swapped"]));
    const { text } = (await documents.read("gate", "writers")) ?? {};
    expect(text).toBe(answers[0] === "swapped" ? "one" : "other");
  }
}, 60_000);

it("what was told is there after a kill at any moment, and what was not is there whole or not at all", async () => {
  const documents = open();
  for (let round = 0; round < 6; round += 1) {
    const before = await documents.read("move", "writers");
    const { child, lines } = otherProcess(`
      let at = Number(${JSON.stringify(before?.text.split(" ")[0] ?? "0")});
      for (;;) {
        const seen = await documents.read("move", "writers");
        const text = (at += 1) + " " + "x".repeat(30_000) + " " + at;
        if ((await documents.swap("move", "writers", seen?.revision ?? null, text)) !== "swapped") process.exit(1);
        console.log(at);
      }`);
    let told = 0;
    for (let line = 0; line < 3 + round; line += 1) told = Number((await lines.next()).value);
    child.kill("SIGKILL");
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) told = Number(next.value);
    const [first, , last] = (await documents.read("move", "writers"))?.text.split(" ") ?? [];
    expect(first).toBe(last);
    expect([told, told + 1]).toContain(Number(first));
  }
}, 60_000);

it("says who holds it when somebody writes for too long, and that a place for looking takes nothing", async () => {
  const documents = open();
  const looking = open(stateDir, true);
  await expect(looking.swap("gate", "writers", null, "x")).rejects.toMatchObject({ code: "stateReadOnly" });
  const other = new DatabaseSync(databasePath(stateDir));
  other.exec("BEGIN IMMEDIATE");
  await expect(documents.swap("gate", "writers", null, "x")).rejects.toMatchObject({ code: "stateLocked" });
  other.exec("ROLLBACK");
  other.close();
  expect(await documents.read("gate", "writers")).toBeNull();
});

it.runIf(process.getuid?.() === 0 && process.platform === "linux")(
  "loses nothing on a full disk, and goes on when there is space",
  async () => {
    const disk = join(stateDir, "disk");
    mkdirSync(disk);
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k,mode=700", "tmpfs", disk]).status).toBe(0);
    try {
      const documents = open(disk);
      expect(await documents.swap("notice", "n", null, "decided")).toBe("swapped");
      const seen = (await documents.read("notice", "n"))?.revision ?? 0;
      spawnSync("dd", ["if=/dev/zero", `of=${join(disk, "filler")}`, "bs=4k"]);
      const large = "x".repeat(400_000);
      await expect(documents.swap("notice", "n", seen, large)).rejects.toMatchObject({ code: "stateDiskFull" });
      expect(await documents.read("notice", "n")).toEqual({ name: "n", text: "decided", revision: seen });
      rmSync(join(disk, "filler"));
      expect(await documents.swap("notice", "n", seen, "decided again")).toBe("swapped");
    } finally {
      for (const database of opened.splice(0)) database.close();
      spawnSync("umount", [disk]);
    }
  },
);
