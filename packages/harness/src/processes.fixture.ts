/** Processes and a clock that a test moves by hand. */
import type { Clock } from "@moorage/core";
import type { ProcessMark } from "./process/mark.ts";
import type { ProcessEntry, ProcessTable, Scan } from "./process/process-table.ts";

/** Time passes only in sleeps, and at once. */
export function handClock(onSleep: (now: number) => void = () => undefined): Clock {
  let now = 0;
  return {
    now: () => now,
    async sleep(ms) {
      now += ms;
      onSleep(now);
    },
  };
}

export function entry(pid: number, differences: Partial<ProcessEntry> = {}): ProcessEntry {
  return {
    pid,
    parent: 1,
    group: pid,
    session: pid,
    start: pid,
    state: "alive",
    command: "agent",
    belonging: { kind: "none" },
    holdsOutput: null,
    ...differences,
  };
}

/** What each look sees: asked anew every time. */
export function tableOf(scan: () => Scan, hidesEnvironments = false): ProcessTable {
  return {
    self: 1,
    hidesEnvironments,
    scan: async () => scan(),
    look: async (pids) => {
      const seen = scan();
      return seen.kind === "read"
        ? { kind: "read", processes: seen.processes.filter(({ pid }) => pids.includes(pid)) }
        : seen;
    },
    usage: async () => new Map(),
  };
}

export const mark: ProcessMark = {
  machine: { machineId: "m", bootId: "b", pidNamespace: "" },
  pid: 100,
  start: 100,
  group: 100,
  session: 100,
  instance: "moorage-test",
  attempt: "abc",
  outputs: [],
  recordedAt: "2026-01-31T12:00:00.000Z",
};
