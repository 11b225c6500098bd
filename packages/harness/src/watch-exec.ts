/** Sees that the agent's own program runs: only then it has started. */
import type { Abort, Clock } from "@moorage/core";
import type { ProcessTable } from "./process/process-table.ts";

export interface ExecWatch {
  readonly pid: number;
  /** The command line while it was the gate. */
  readonly gateCommand: string;
  /** Resolves when the gate lets go of its pipe, just before its exec. */
  readonly passed: Promise<void>;
  /** Aborted: nobody waits for it any more. */
  readonly over: Abort;
  readonly table: ProcessTable;
  readonly clock: Clock;
}

/** A gate that was opened passes at once; this is for a pipe that somebody else holds too. */
const passWithinMs = 50;
const longestPauseMs = 100;

/** True once another program runs under that PID; false when it was over before. */
export async function execSeen(watch: ExecWatch): Promise<boolean> {
  await Promise.race([watch.passed, watch.clock.sleep(passWithinMs, watch.over)]);
  for (let pause = 1; !watch.over.aborted; pause = Math.min(pause * 2, longestPauseMs)) {
    const scan = await watch.table.look([watch.pid]);
    const entry = scan.kind === "read" ? scan.processes.find(({ pid }) => pid === watch.pid) : undefined;
    if (entry !== undefined && entry.state !== "zombie" && isAnother(entry.command, watch.gateCommand))
      return !watch.over.aborted;
    await watch.clock.sleep(pause, watch.over);
  }
  return false;
}

/**
 * A process that is about to be dead, or in the middle of an exec, has no command line. Platforms show its bare name in
 * brackets then (Linux `[sh]`, macOS `(sh)`), which differs from the gate's and says nothing.
 */
function isAnother(command: string, gateCommand: string): boolean {
  return command !== "" && command !== gateCommand && !/^(?:\[.*\]|\(.*\))$/.test(command);
}
