/** One line of Linux' /proc/PID/stat, proc(5). */

export interface ProcStat {
  readonly pid: number;
  /** The first 15 bytes of the program's name. */
  readonly name: string;
  readonly state: "alive" | "stopped" | "zombie";
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot. */
  readonly start: number;
  /** Clock ticks of user and system time of this process and of the children that it has waited for. */
  readonly cpuTicks: number;
  readonly residentPages: number;
}

/** Null for what is no such line. */
export function parseProcStat(line: string): ProcStat | null {
  // The name may hold spaces and parentheses; nothing after it does.
  const open = line.indexOf("(");
  const close = line.lastIndexOf(")");
  if (open < 0 || close < open) return null;
  const fields = line.slice(close + 2).split(" ");
  const number = (at: number): number => Number(fields[at]);
  const pid = Number(line.slice(0, open));
  const start = number(19);
  if (!Number.isInteger(pid) || !Number.isInteger(start) || !Number.isInteger(number(3))) return null;
  return {
    pid,
    name: line.slice(open + 1, close),
    state: stateOf(fields[0] ?? "", number(17)),
    parent: number(1),
    group: number(2),
    session: number(3),
    start,
    cpuTicks: number(11) + number(12) + number(13) + number(14),
    residentPages: Math.max(0, number(21)),
  };
}

function stateOf(letter: string, threads: number): ProcStat["state"] {
  switch (letter) {
    case "Z":
    case "X":
    case "x":
      // A main thread that has ended while others go on looks like this too: such a process lives.
      return threads > 1 ? "alive" : "zombie";
    case "T":
    case "t":
      return "stopped";
    default:
      return "alive";
  }
}
