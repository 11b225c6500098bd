// What may happen between two looks at the process table, played on a table that the test writes.
import { expect, test } from "vitest";
import { endTree, type Signal } from "./end-tree.ts";
import type { ProcessMark } from "./mark.ts";
import type { ProcessEntry, ProcessTable, Scan } from "./process-table.ts";

const here = { machineId: "m", bootId: "b", pidNamespace: "p" };
const mark: ProcessMark = {
  machine: here,
  pid: 100,
  start: 1_000,
  group: 100,
  session: 100,
  instance: "moorage-0123456789ab",
  attempt: "a0",
  outputs: [],
  recordedAt: "2026-01-01T00:00:00.000Z",
};
const leader: ProcessEntry = {
  pid: 100,
  parent: 1,
  group: 100,
  session: 100,
  start: 1_000,
  state: "alive",
  command: "node agent.ts",
  belonging: { kind: "instance", instance: mark.instance, attempt: mark.attempt },
  holdsOutput: null,
};
const child: ProcessEntry = { ...leader, pid: 101, parent: 100, start: 1_001, command: "node tool.js" };

/** A table that scripts what is seen: at each scan, and at each closer look. */
function world(
  scans: readonly (readonly ProcessEntry[])[],
  looks: (scan: readonly ProcessEntry[]) => readonly ProcessEntry[] | null,
) {
  const signals: [number, Signal][] = [];
  const dead = new Set<number>();
  let at = -1;
  let time = 0;
  const living = (entries: readonly ProcessEntry[]): Scan => ({
    kind: "read",
    processes: entries.filter(({ pid }) => !dead.has(pid)),
  });
  const table: ProcessTable = {
    self: 1,
    hidesEnvironments: false,
    scan: async () => living(scans[++at] ?? []),
    look: async (pids) => {
      const seen = looks(scans[at] ?? []);
      if (seen === null) return { kind: "unreadable", detail: "played" };
      return living(seen.filter(({ pid }) => pids.includes(pid)));
    },
    usage: async () => new Map(),
  };
  const end = (deadly: Signal) =>
    endTree({
      mark,
      here,
      continuity: "recorded",
      termGraceMs: 1_000,
      killGraceMs: 1_000,
      table,
      kill(pid, signal) {
        signals.push([pid, signal]);
        if (signal === deadly) dead.add(pid);
        return "sent";
      },
      clock: {
        now: () => time,
        sleep: async (ms) => {
          time += ms;
        },
      },
    });
  return { end, signals, scans: () => at + 1 };
}

test("a process that one scan misses is found by the next", async () => {
  const { end, signals } = world([[], [child]], (scan) => scan);
  expect(await end("SIGTERM")).toMatchObject({ kind: "ended", ended: [{ pid: 101 }] });
  expect(signals[0]).toEqual([101, "SIGTERM"]);
});

test("what is forked while the others end is ended too", async () => {
  const late = { ...child, pid: 102, start: 1_050, belonging: { kind: "none" } as const };
  // Its parents are gone by then, and it shows nothing but their group.
  const { end, signals } = world([[leader, child], [late]], (scan) => scan);
  expect(await end("SIGTERM")).toMatchObject({ kind: "ended", ended: [{ pid: 100 }, { pid: 101 }, { pid: 102 }] });
  expect(signals.map(([pid]) => pid)).toContain(102);
});

test("a number that was given away between the scan and the signal gets none", async () => {
  const { end, signals } = world([[leader, child]], (scan) => scan.map((each) => ({ ...each, start: 5_000 })));
  expect((await end("SIGTERM")).kind).toBe("ended");
  expect(signals).toEqual([]);
});

test("TERM with CONT once, KILL once after the grace", async () => {
  const { end, signals } = world(
    Array.from({ length: 5 }, () => [leader]),
    (scan) => scan,
  );
  expect(await end("SIGKILL")).toMatchObject({ kind: "ended", killed: 1 });
  expect(signals).toEqual([
    [100, "SIGTERM"],
    [100, "SIGCONT"],
    [-100, "SIGKILL"],
    [100, "SIGKILL"],
  ]);
});

test("a group that no proved member lives in is not killed by its number: that may be somebody else's by now", async () => {
  const away: ProcessEntry = { ...child, group: 300, session: 300 };
  const { end, signals } = world(
    Array.from({ length: 5 }, () => [away]),
    (scan) => scan,
  );
  expect(await end("SIGKILL")).toMatchObject({ kind: "ended", killed: 1 });
  expect(signals.map(([pid]) => pid).filter((pid) => pid < 0)).toEqual([]);
});

test("what cannot be looked at any more is neither signalled nor dead", async () => {
  const { end, signals } = world(
    Array.from({ length: 5 }, () => [leader]),
    () => null,
  );
  expect(await end("SIGTERM")).toMatchObject({ kind: "leftovers", leftovers: [{ pid: 100, why: "undead" }] });
  expect(signals).toEqual([]);
});
