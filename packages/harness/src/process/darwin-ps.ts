/** What macOS' ps prints for the columns that we ask for, and lsof for the holders of a file. */
import type { ProcessEntry } from "./process-table.ts";

/**
 * `sess` is not among them: it prints a kernel address, hidden as 0, and no session id. With `LC_ALL=C` and `TZ=UTC`,
 * `lstart` is the moment that the kernel noted at the fork, so that it reads the same for as long as the process lives.
 */
export const psColumns = "pid=,ppid=,pgid=,stat=,lstart=,rss=,time=,command=";

export interface PsProcess extends ProcessEntry {
  readonly residentBytes: number;
  readonly cpuSeconds: number;
}

const numbers = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/;
const details = /^(\w{3}\s+\w{3}\s+\d+\s+\d\d:\d\d:\d\d\s+\d{4})\s+(\d+)\s+([\d:.]+)\s?(.*)$/;

/** One entry a line. A line whose start cannot be read keeps its place, with `start: null`. */
export function parsePs(output: string): readonly PsProcess[] {
  return output
    .split("\n")
    .map(parseLine)
    .filter((entry) => entry !== null);
}

function parseLine(line: string): PsProcess | null {
  const [, pid, parent, group, state = "", rest = ""] = numbers.exec(line) ?? [];
  if (pid === undefined) return null;
  const [, started, kibibytes = "0", time = "0", command] = details.exec(rest) ?? [];
  const start = started === undefined ? Number.NaN : Date.parse(`${started} UTC`) / 1_000;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: null,
    start: Number.isNaN(start) ? null : start,
    state: state.startsWith("Z") ? "zombie" : state.startsWith("T") ? "stopped" : "alive",
    command: command ?? rest,
    belonging: { kind: "unreadable" },
    holdsOutput: null,
    residentBytes: Number(kibibytes) * 1_024,
    cpuSeconds: time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0),
  };
}

/** The processes that can write to a file, out of what `lsof -F pfa` prints. */
export function parseLsofWriters(output: string): ReadonlySet<number> {
  const writers = new Set<number>();
  let pid = 0;
  for (const line of output.split("\n")) {
    if (line.startsWith("p")) pid = Number(line.slice(1));
    else if (line === "aw" || line === "au") writers.add(pid);
  }
  return writers;
}
