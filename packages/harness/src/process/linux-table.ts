/** The process table of Linux, out of /proc. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { type ProcStat, parseProcStat } from "./linux-stat.ts";
import { markerOf } from "./marker.ts";
import type { Belonging, Evidence, ProcessEntry, ProcessTable } from "./process-table.ts";
import { sumTrees } from "./tree.ts";

/** USER_HZ, which the kernel keeps at 100 for all that it tells programs. */
const ticksPerSecond = 100;

export function linuxProcessTable(proc = "/proc"): ProcessTable {
  const statOf = (pid: number): ProcStat | null => {
    const line = readable(() => readFileSync(`${proc}/${pid}/stat`, "utf8"));
    return line === null ? null : parseProcStat(line);
  };
  const entryOf = (stat: ProcStat, evidence: Evidence | null): ProcessEntry => {
    const plain = { pid: stat.pid, parent: stat.parent, group: stat.group, session: stat.session, start: stat.start };
    if (evidence === null || stat.start < evidence.since || stat.state === "zombie")
      return { ...plain, state: stat.state, command: stat.name, belonging: { kind: "unreadable" }, holdsOutput: null };
    const belonging = belongingOf(proc, stat.pid);
    return {
      ...plain,
      state: stat.state,
      command: commandLine(proc, stat),
      belonging,
      // The dear part of a scan, and nothing that a marker has not told already.
      holdsOutput: belonging.kind === "instance" ? null : writesTo(proc, stat.pid, evidence.outputs),
    };
  };
  return {
    self: process.pid,
    hidesEnvironments: false,
    async scan(evidence) {
      const pids = pidsIn(proc);
      if (pids === null) return { kind: "unreadable", detail: `${proc} cannot be read` };
      const processes: ProcessEntry[] = [];
      for (const pid of pids) {
        const stat = statOf(pid);
        if (stat !== null) processes.push(entryOf(stat, evidence));
      }
      return { kind: "read", processes };
    },
    async look(pids) {
      const stats = pids.map((pid) => statOf(pid)).filter((stat) => stat !== null);
      return {
        kind: "read",
        processes: stats.map((stat) => ({ ...entryOf(stat, null), command: commandLine(proc, stat) })),
      };
    },
    async usage(leaders) {
      const pageBytes = pageSize(proc);
      const stats = (pidsIn(proc) ?? []).map((pid) => statOf(pid)).filter((stat) => stat !== null);
      return sumTrees(
        stats.map((stat) => ({
          ...stat,
          residentBytes: stat.residentPages * pageBytes,
          cpuSeconds: stat.cpuTicks / ticksPerSecond,
        })),
        leaders,
      );
    },
  };
}

function pidsIn(proc: string): readonly number[] | null {
  const names = readable(() => readdirSync(proc));
  const pids = names?.filter((name) => /^[1-9][0-9]*$/.test(name)).map(Number) ?? [];
  return pids.length === 0 ? null : pids;
}

/** Kernel threads and zombies have no command line; their name stands in brackets then, as ps shows it. */
function commandLine(proc: string, stat: ProcStat): string {
  const line = readable(() => readFileSync(`${proc}/${stat.pid}/cmdline`, "utf8")) ?? "";
  return line.replaceAll("\0", " ").trim() || `[${stat.name}]`;
}

function belongingOf(proc: string, pid: number): Belonging {
  const environment = readable(() => readFileSync(`${proc}/${pid}/environ`, "utf8"));
  return environment === null ? { kind: "unreadable" } : markerOf(environment.split("\0"));
}

function writesTo(proc: string, pid: number, outputs: readonly string[]): boolean | null {
  if (outputs.length === 0) return null;
  const descriptors = readable(() => readdirSync(`${proc}/${pid}/fd`));
  if (descriptors === null) return null;
  return descriptors.some((descriptor) => {
    const target = readable(() => readlinkSync(`${proc}/${pid}/fd/${descriptor}`));
    if (target === null || !outputs.some((path) => target === path || target === `${path} (deleted)`)) return false;
    // Whoever only reads is a supervisor or somebody who probes, and no member.
    const info = readable(() => readFileSync(`${proc}/${pid}/fdinfo/${descriptor}`, "utf8")) ?? "";
    return (Number.parseInt(/^flags:\s*([0-7]+)/m.exec(info)?.[1] ?? "0", 8) & 3) !== 0;
  });
}

/** AT_PAGESZ (6) of the auxiliary vector, pairs of 64-bit words; 4096 where it cannot be read. */
function pageSize(proc: string): number {
  const vector = readable(() => readFileSync(`${proc}/self/auxv`));
  if (vector !== null)
    for (let at = 0; at + 16 <= vector.length; at += 16)
      if (vector.readBigUInt64LE(at) === 6n) return Number(vector.readBigUInt64LE(at + 8));
  return 4_096;
}

/** A process may be gone, or another user's, at any moment between two reads. */
function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
