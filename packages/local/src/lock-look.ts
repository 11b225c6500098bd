/** Looks at the locks of an incarnation, and at what stands behind them where they do not tell. */
import type { MachineIdentity, ProcessEntry, ProcessTable } from "@moorage/harness";
import { instancePaths } from "./instance-folder.ts";
import type { InstanceRow } from "./instance-row.ts";
import { markOf } from "./instance-row.ts";
import { probeLock } from "./lock.ts";
import { outputHeld } from "./output-held.ts";
import type { LockLook } from "./verdict.ts";

const free: LockLook = { supervisor: "free", creator: "free", outputHeld: null, stopped: null };

/** One look. The order matters: a supervisor takes its lock before its creator lets go, so looking at it again settles it. */
export async function lookAtLocks(
  stateDir: string,
  row: InstanceRow,
  here: MachineIdentity,
  table: ProcessTable,
): Promise<LockLook> {
  const paths = instancePaths(stateDir, row);
  const first = probeLock(paths.supervisorLock);
  if (first === "held") return heldLook(row, here, table);
  if (row.claim === null) {
    const creator = probeLock(paths.creatorLock);
    const second = probeLock(paths.supervisorLock);
    if (second === "held") return heldLook(row, here, table);
    // No lock file of a supervisor is none that any supervisor has ever held.
    const supervisor = second === "missing" ? "free" : second;
    return { ...free, supervisor, creator: creator === "missing" ? "free" : creator };
  }
  const supervisor = await (first === "missing"
    ? supervisorWithoutLock(row, here, table)
    : supervisorOfFreeLock(stateDir, row, here, table, first));
  const elsewhere = row.claim.machine.pidNamespace !== here.pidNamespace;
  return { ...free, supervisor, outputHeld: elsewhere ? outputHeld(markOf(row.status)?.outputs ?? []) : null };
}

/** Somebody waits for its supervisor to do something: then it matters whether that was stopped. */
async function heldLook(row: InstanceRow, here: MachineIdentity, table: ProcessTable): Promise<LockLook> {
  const { claim, status, deletionAt } = row;
  const awaited = deletionAt !== null || (status.phase !== "running" && status.phase !== "ended");
  if (!awaited || claim === null || claim.machine.pidNamespace !== here.pidNamespace)
    return { ...free, supervisor: "held" };
  const scan = await table.look([claim.pid]);
  const stopped = scan.kind === "read" && scan.processes.some(({ state }) => state === "stopped");
  return { ...free, supervisor: "held", stopped: stopped ? claim.pid : null };
}

/** Its lock file was taken away. Only the process on record can tell, and only where its number means the same. */
async function supervisorWithoutLock(
  row: InstanceRow,
  here: MachineIdentity,
  table: ProcessTable,
): Promise<"held" | "gone" | "unjudgeable"> {
  const found = await processOnRecord(row, here, table);
  return typeof found === "string" ? found : "held";
}

/**
 * Nobody holds the lock that lies here. Who copies a state directory copies the records and not the locks: a supervisor
 * that lives, and was booted for another directory, holds the lock that lies there. One of this very directory is just
 * ending; one that is being killed has no command line any more when its locks are free.
 */
async function supervisorOfFreeLock(
  stateDir: string,
  row: InstanceRow,
  here: MachineIdentity,
  table: ProcessTable,
  probe: "free" | "unjudgeable",
): Promise<"free" | "unjudgeable" | "elsewhere"> {
  if (probe !== "free" || row.status.phase === "ended") return probe;
  const found = await processOnRecord(row, here, table);
  if (typeof found === "string") return probe;
  const told = `${found.command} `;
  return told.includes(` ${row.name} ${row.uid} `) && !told.includes(` ${stateDir} ${row.name} `) ? "elsewhere" : probe;
}

async function processOnRecord(
  { claim }: InstanceRow,
  here: MachineIdentity,
  table: ProcessTable,
): Promise<ProcessEntry | "gone" | "unjudgeable"> {
  if (claim === null || claim.machine.bootId !== here.bootId || claim.machine.pidNamespace !== here.pidNamespace)
    return "unjudgeable";
  const scan = await table.look([claim.pid]);
  if (scan.kind === "unreadable") return "unjudgeable";
  const found = scan.processes.find(({ pid }) => pid === claim.pid);
  if (found === undefined || found.state === "zombie") return "gone";
  if (found.start === null || claim.start === null) return "unjudgeable";
  return found.start === claim.start ? found : "gone";
}
