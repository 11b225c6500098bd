import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@moorage/core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ChangeWatch } from "./change-watch.ts";
import { createDatabase, Database } from "./database.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "moorage-watch-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A clock on which no sleep ever ends by time: only a wake-up ends it. */
const untimed: Clock = {
  now: () => 0,
  sleep: (_ms, signal) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve())),
};

/** Another process commits `count` times, a little apart, with the durability that Moorage writes with. */
function writerOf(count: number): string {
  return `
    const { Database } = await import(${JSON.stringify(new URL("./database.ts", import.meta.url).href)});
    const database = new Database(${JSON.stringify(folder)}, { readOnly: false, busyMs: 5000 });
    for (let round = 0; round < ${count}; round += 1) {
      database.write(() => database.nextVersion());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    database.close();`;
}

it("a commit is heard after it can be read, not only while it is written", async () => {
  createDatabase(folder, "t");
  const database = new Database(folder, { readOnly: true, busyMs: 5000 });
  const watch = new ChangeWatch(folder, untimed);
  const counter = (): number => Number(database.get("SELECT counter FROM scope")?.["counter"]);
  const first = counter();
  const writer = spawn(process.execPath, ["--input-type=module", "-e", writerOf(15)], { stdio: "inherit" });
  const done = new Promise((resolve) => writer.on("close", resolve));
  try {
    for (;;) {
      const turn = watch.begin();
      if (counter() === first + 15) break;
      await watch.next(turn, 1);
    }
    expect(await done).toBe(0);
  } finally {
    writer.kill("SIGKILL");
    watch.close();
    database.close();
  }
});

it("a write of this very process is heard as well", async () => {
  createDatabase(folder, "t");
  const database = new Database(folder, { readOnly: false, busyMs: 5000 });
  const watch = new ChangeWatch(folder, untimed);
  const turn = watch.begin();
  database.write(() => database.nextVersion());
  await watch.next(turn, 1);
  expect(watch.begin()).toBeGreaterThan(turn);
  watch.close();
  database.close();
});

it("what one change makes many want is made once, and anew for the next", () => {
  const watch = new ChangeWatch(folder, untimed);
  let made = 0;
  const make = (): number => (made += 1);
  const turn = watch.begin();
  try {
    expect([watch.share(turn, "a", make), watch.share(turn, "a", make), watch.share(turn, "b", make)]).toEqual([
      1, 1, 2,
    ]);
    watch.close();
    expect(watch.share(turn, "a", make)).toBe(3);
    expect(watch.share(watch.begin(), "a", make)).toBe(4);
  } finally {
    watch.close();
  }
});
