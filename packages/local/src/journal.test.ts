import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { awakeClock } from "@moorage/harness";
import { expect, it } from "vitest";
import { openJournal } from "./journal.ts";

it("a file where its folder should be is a fault of the state, and no mistake of ours", () => {
  const stateDir = mkdtempSync(join(tmpdir(), "mj-"));
  try {
    writeFileSync(join(stateDir, "journal"), "");
    const journal = openJournal(stateDir, { clock: awakeClock(), writable: false });
    expect(() => journal.read()).toThrow(expect.objectContaining({ code: "stateFault" }));
  } finally {
    rmSync(stateDir, { recursive: true });
  }
});

it("a pipe among its files holds nobody up", () => {
  const stateDir = mkdtempSync(join(tmpdir(), "mj-"));
  try {
    mkdirSync(join(stateDir, "journal"));
    spawnSync("mkfifo", [join(stateDir, "journal", "2026-03-01.jsonl")]);
    const script = `
      import { openJournal } from ${JSON.stringify(new URL("./journal.ts", import.meta.url).pathname)};
      const journal = openJournal(${JSON.stringify(stateDir)}, { clock: null, writable: false });
      console.log(journal.read().length);`;
    // Whoever waits for a writer is ended here, and has said nothing.
    const { stdout } = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", script], {
      encoding: "utf8",
      timeout: 10_000,
    });
    expect(stdout).toBe("0\n");
  } finally {
    rmSync(stateDir, { recursive: true });
  }
});
