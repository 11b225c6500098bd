import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
