/** Looks at the locks of an incarnation, and at what stands behind them where they do not tell. */
import type { MachineIdentity, ProcessTable } from "@moorage/harness";
import { instancePaths } from "./instance-folder.ts";
import type { InstanceRow } from "./instance-row.ts";
import { markOf } from "./instance-row.ts";
import { probeLock } from "./lock.ts";
import { outputHeld } from "./output-held.ts";
import type { LockLook } from "./verdict.ts";

const held: LockLook = { supervisor: "held", creator: "free", outputHeld: null };

/** One look. The order matters: a supervisor takes its lock before its creator lets go, so looking at it again settles it. */
export async function lookAtLocks(
  stateDir: string,
  row: InstanceRow,
  here: MachineIdentity,
  table: ProcessTable,
): Promise<LockLook> {
  const paths = instancePaths(stateDir, row);
  const first = probeLock(paths.supervisorLock);
  if (first === "held") return held;
  if (row.claim === null) {
    const creator = probeLock(paths.creatorLock);
    const second = probeLock(paths.supervisorLock);
    if (second === "held") return held;
    // No lock file of a supervisor is none that any supervisor has ever held.
    const supervisor = second === "missing" ? "free" : second;
    return { supervisor, creator: creator === "missing" ? "free" : creator, outputHeld: null };
  }
  const supervisor = first === "missing" ? await supervisorWithoutLock(row, here, table) : first;
  const elsewhere = row.claim.machine.pidNamespace !== here.pidNamespace;
  return { supervisor, creator: "free", outputHeld: elsewhere ? outputHeld(markOf(row.status)?.outputs ?? []) : null };
}

/** Its lock file was taken away. Only the process on record can tell, and only where its number means the same. */
async function supervisorWithoutLock(
  row: InstanceRow,
  here: MachineIdentity,
  table: ProcessTable,
): Promise<"held" | "gone" | "unjudgeable"> {
  const { claim } = row;
  if (claim === null || claim.machine.bootId !== here.bootId || claim.machine.pidNamespace !== here.pidNamespace)
    return "unjudgeable";
  const scan = await table.look([claim.pid]);
  if (scan.kind === "unreadable") return "unjudgeable";
  const found = scan.processes.find(({ pid }) => pid === claim.pid);
  if (found === undefined || found.state === "zombie") return "gone";
  if (found.start === null || claim.start === null) return "unjudgeable";
  return found.start === claim.start ? "held" : "gone";
}
