import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { darwinProcessTable, type RunProgram } from "./darwin-table.ts";
import { endTree, type Signal } from "./end-tree.ts";
import { platformUuid } from "./machine.ts";
import type { ProcessMark } from "./mark.ts";
import { descendants } from "./tree.ts";

function recorded(name: string): string {
  return readFileSync(new URL(`./recorded/${name}`, import.meta.url), "utf8");
}

const agentStart = Date.UTC(2025, 1, 10, 12, 0, 1) / 1_000;
const here = { machineId: "m", bootId: "b", pidNamespace: "" };
const mark: ProcessMark = {
  machine: here,
  pid: 4101,
  start: agentStart,
  group: 4101,
  session: null,
  instance: "moorage-0123456789ab",
  attempt: "0123456789abcdef",
  outputs: ["/state/out", "/state/err"],
  recordedAt: "2025-02-10T12:00:01.000Z",
};

/** ps prints what it is asked for, without the processes that were killed. */
function macos(ps: string | null, lsof: string | null, dead: ReadonlySet<number> = new Set()): RunProgram {
  return async (command, args) => {
    if (command === "/usr/sbin/lsof") return lsof;
    const wanted = args[0] === "-p" ? new Set(args[1]?.split(",").map(Number)) : null;
    const lines = ps?.split("\n").filter((line) => {
      const pid = Number.parseInt(line, 10);
      return !dead.has(pid) && (wanted === null || wanted.has(pid));
    });
    return lines?.join("\n") ?? null;
  };
}

async function ended(ps: string | null, lsof: string | null, more: Partial<Parameters<typeof endTree>[0]> = {}) {
  const dead = new Set<number>();
  const told: [number, Signal][] = [];
  const end = await endTree({
    mark,
    here,
    continuity: "recorded",
    termGraceMs: 1_000,
    table: darwinProcessTable(macos(ps, lsof, dead)),
    kill(pid, signal) {
      told.push([pid, signal]);
      dead.add(pid);
      return "sent";
    },
    clock: { now: () => 0, sleep: async () => undefined },
    ...more,
  });
  return { end, dead: [...dead].sort((a, b) => a - b), told };
}

describe("what ps prints", () => {
  test("numbers, states, starts and command lines, whatever stands in them", async () => {
    const scan = await darwinProcessTable(macos(recorded("ps-agent.txt"), null)).scan(null);
    if (scan.kind === "unreadable") throw new Error(scan.detail);
    expect(scan.processes).toHaveLength(13);
    const agent = scan.processes.find(({ pid }) => pid === 4101);
    expect(agent).toMatchObject({ parent: 4100, group: 4101, session: null, start: agentStart, state: "alive" });
    expect(agent?.command).toBe('node agent.ts --name "two words"');
    expect(agent?.belonging).toEqual({ kind: "unreadable" });
    expect(scan.processes.find(({ pid }) => pid === 4105)?.state).toBe("zombie");
    expect(scan.processes.find(({ pid }) => pid === 4106)?.state).toBe("stopped");
  });

  test("memory and time of a tree", async () => {
    const usage = await darwinProcessTable(macos(recorded("ps-agent.txt"), null)).usage([4101, 640, 99]);
    expect(usage.get(4101)).toEqual({ residentBytes: 124_928 * 1_024, cpuSeconds: 73.6, processes: 6 });
    expect(usage.get(640)?.cpuSeconds).toBeCloseTo(7_425.67 + 0.05 + 0.91 + 0.01);
    expect(usage.has(99)).toBe(false);
  });

  test("a snapshot has the descendants, and nothing that seems older than its parent", async () => {
    const scan = await darwinProcessTable(macos(recorded("ps-agent.txt"), null)).scan(null);
    if (scan.kind === "unreadable") throw new Error(scan.detail);
    const kin = descendants(scan.processes, { pid: 4101, start: agentStart });
    expect(kin.map(({ pid }) => pid).sort((a, b) => a - b)).toEqual([4101, 4103, 4104, 4105, 4106]);
    expect(descendants(scan.processes, { pid: 4101, start: agentStart - 1 })).toEqual([]);
  });
});

describe("ending a tree", () => {
  test("while the leader lives: its group and what descends from it", async () => {
    const { end, dead } = await ended(recorded("ps-agent.txt"), null);
    expect(end).toMatchObject({ kind: "ended", killed: 0 });
    expect(dead).toEqual([4101, 4103, 4104, 4106]);
  });

  test("after the leader's death: what holds its outputs, and the group that these keep", async () => {
    const { end, dead } = await ended(recorded("ps-orphans.txt"), recorded("lsof-outputs.txt"));
    expect(end.kind).toBe("ended");
    expect(dead).toEqual([4103, 4104, 4106]);
  });

  test("after the leader's death: what an earlier snapshot knows", async () => {
    const kin = [{ pid: 4104, start: agentStart + 2 }];
    const { end, dead } = await ended(recorded("ps-orphans.txt"), null, { kin, continuity: "watched" });
    expect(end.kind).toBe("ended");
    expect(dead).toEqual([4103, 4104, 4106]);
  });

  test("after the leader's death, with nothing but a number: named and left alone", async () => {
    const { end, dead } = await ended(recorded("ps-orphans.txt"), null);
    expect(dead).toEqual([]);
    expect(end.kind === "leftovers" && end.leftovers.map(({ pid, why }) => [pid, why])).toEqual([
      [4103, "unproved"],
      [4106, "unproved"],
    ]);
  });

  test("a start that cannot be read is neither dead nor ours", async () => {
    const { end, dead } = await ended(recorded("ps-unreadable.txt"), null);
    expect(dead).toEqual([]);
    expect(end.kind === "leftovers" && end.leftovers.map(({ pid }) => pid)).toContain(4101);
  });

  test.each([
    ["cannot be run", null],
    ["prints nothing", ""],
  ])("a ps that %s: cannot tell", async (_how, ps) => {
    const { end, told } = await ended(ps, null);
    expect(end.kind).toBe("cannotTell");
    expect(told).toEqual([]);
  });
});

test("the hardware's UUID is the machine's id", () => {
  expect(platformUuid(recorded("ioreg.txt"))).toBe("0F0E0D0C-0B0A-4908-8706-050403020100");
  expect(platformUuid("")).toBeNull();
});
