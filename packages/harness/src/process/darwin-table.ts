/** The process table of macOS, out of ps and lsof, which every macOS has. */
import { execFile } from "node:child_process";
import { type PsProcess, parseLsofWriters, parsePs, psColumns } from "./darwin-ps.ts";
import type { ProcessTable } from "./process-table.ts";
import { sumTrees } from "./tree.ts";

/** Runs a program and gives what it printed, or null where it could not run at all (a sandbox, or it is absent). */
export type RunProgram = (command: string, args: readonly string[]) => Promise<string | null>;

const unreadable = { kind: "unreadable", detail: "ps cannot be run or prints nothing" } as const;

export function darwinProcessTable(run: RunProgram = runProgram): ProcessTable {
  const list = async (which: readonly string[]): Promise<readonly PsProcess[] | null> => {
    const printed = await run("/bin/ps", [...which, "-ww", "-o", psColumns]);
    return printed === null ? null : parsePs(printed);
  };
  return {
    self: process.pid,
    hidesEnvironments: true,
    async scan(evidence) {
      const processes = await list(["-ax"]);
      // The list always holds at least whoever asks for it.
      if (processes === null || processes.length === 0) return unreadable;
      if (evidence === null || evidence.outputs.length === 0) return { kind: "read", processes };
      const held = await run("/usr/sbin/lsof", ["-w", "-n", "-P", "-F", "pfa", "--", ...evidence.outputs]);
      if (held === null) return { kind: "read", processes };
      const writers = parseLsofWriters(held);
      return { kind: "read", processes: processes.map((each) => ({ ...each, holdsOutput: writers.has(each.pid) })) };
    },
    async look(pids) {
      if (pids.length === 0) return { kind: "read", processes: [] };
      const processes = await list(["-p", pids.join(",")]);
      return processes === null ? unreadable : { kind: "read", processes };
    },
    async usage(leaders) {
      return sumTrees((await list(["-ax"])) ?? [], leaders);
    },
  };
}

/** Both programs end with 1 where they find nothing: that is an answer too. */
function runProgram(command: string, args: readonly string[]): Promise<string | null> {
  const options = { timeout: 10_000, maxBuffer: 64 << 20, env: { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" } };
  return new Promise((resolve) => {
    execFile(command, [...args], options, (error, stdout) => {
      resolve(error === null || error.code === 1 ? stdout : null);
    });
  });
}
