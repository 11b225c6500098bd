import { describe, expect, it } from "vitest";
import type { ProcessEntry } from "./process/process-table.ts";
import { entry, handClock, tableOf } from "./processes.fixture.ts";
import { execSeen } from "./watch-exec.ts";

const gate = entry(100, { command: "/bin/sh -c gate" });

/** What is seen look by look; the last one stays. */
async function seen(
  looks: readonly (ProcessEntry | "gone" | "unreadable")[],
): Promise<{ seen: boolean; looks: number }> {
  let count = 0;
  const over = new AbortController();
  const table = tableOf(() => {
    const look = looks[Math.min(count, looks.length - 1)] ?? "gone";
    count += 1;
    // Nobody waits for ever: the exit comes.
    if (count > 20) over.abort();
    if (look === "unreadable") return { kind: "unreadable", detail: "no ps" };
    return { kind: "read", processes: look === "gone" ? [] : [look] };
  });
  const watch = { pid: 100, gateCommand: gate.command, passed: Promise.resolve(), over: over.signal, table };
  return { seen: await execSeen({ ...watch, clock: handClock() }), looks: count };
}

describe("an exec is seen", () => {
  it("when the command line is another one than the gate's", async () => {
    expect(await seen([gate, gate, entry(100)])).toEqual({ seen: true, looks: 3 });
  });

  it("in a stopped process too", async () => {
    expect(await seen([entry(100, { state: "stopped" })])).toMatchObject({ seen: true });
  });

  it.each<readonly [string, ProcessEntry | "gone" | "unreadable"]>([
    ["while it is the gate", gate],
    ["in a dead process", entry(100, { state: "zombie", command: "(sh)" })],
    ["in one without a command line", entry(100, { command: "" })],
    ["in one that is dying, and whose command line Linux has let go of", entry(100, { command: "[sh]" })],
    ["in one that is dying, as macOS shows it", entry(100, { command: "(sh)" })],
    ["where nothing can be read", "unreadable"],
    ["in nothing", "gone"],
  ])("never %s", async (_name, look) => {
    expect(await seen([look])).toMatchObject({ seen: false });
  });
});
