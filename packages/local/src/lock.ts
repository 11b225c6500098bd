/** A lock that the kernel holds for a process and frees at its death, seen across PID namespaces: a small SQLite file under BEGIN EXCLUSIVE. */
import { closeSync, constants, openSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isBusy, sqliteCode } from "./sqlite-fault.ts";

/** A lock that this process holds; `release` is for those that outlive it. */
export interface HeldLock {
  readonly path: string;
  /** Whether the file is still the one that was locked: a cleaner may have taken it. */
  isInPlace(): boolean;
  release(): void;
}

export type Probe = "held" | "free" | "missing" | "unjudgeable";

/**
 * Takes the lock, waiting up to `waitMs` for who looks at it just now; null when somebody holds it. The file is made
 * where it is missing. Nobody may open it by other means in this process: closing any descriptor of it drops the lock.
 */
export function takeLock(path: string, waitMs: number): HeldLock | null {
  createPrivate(path);
  const database = new DatabaseSync(path, { timeout: waitMs });
  try {
    // Without a journal in a file: one that a killed holder left would have to be rolled back by who merely looks.
    database.exec("PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  const { ino } = statSync(path);
  let open = true;
  return {
    path,
    isInPlace: () => statSync(path, { throwIfNoEntry: false })?.ino === ino,
    release: () => {
      if (open) database.close();
      open = false;
    },
  };
}

/** Whether anybody holds it. Looks with a shared lock for an instant, so that those who look never seem to hold it. */
export function probeLock(path: string): Probe {
  const first = probeOnce(path);
  // A file that was missing to be opened and was there a moment later has just been made: now it can be judged.
  return first === "unjudgeable" ? probeOnce(path) : first;
}

function probeOnce(path: string): Probe {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  } catch {
    return absent(path) ? "missing" : "unjudgeable";
  }
  try {
    database.exec("BEGIN; SELECT 1 FROM sqlite_schema; COMMIT");
    return "free";
  } catch (error) {
    if (isBusy(error)) return "held";
    return sqliteCode(error) !== null && absent(path) ? "missing" : "unjudgeable";
  } finally {
    database.close();
  }
}

function absent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** SQLite makes files that others may read; ours are private from their first moment. */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
