/** The harness' Record port over the row of one instance: everything that a full disk or a lock refuses is tried again. */
import type { Look, ProcessMark, Record, Recorded } from "@moorage/harness";
import { Busy, type Database } from "./database.ts";
import type { InstanceRow, RowChange } from "./instance-row.ts";
import { readDeletion, readRow, removeRow, updateRow } from "./instance-row.ts";
import type { HeldLock } from "./lock.ts";
import { StateError } from "./state-error.ts";

export interface InstanceRecord extends Record {
  /** Changes the row as it is ours, for what the harness does not know of. */
  change(change: RowChange): Recorded;
  /** What ran has ended, all of it, and is to run again in this very instance. */
  again(message: string): Recorded;
}

export function instanceRecord(
  database: Database,
  { name, uid }: Pick<InstanceRow, "name" | "uid">,
  lock: HeldLock,
): InstanceRecord {
  let mark: ProcessMark | null = null;
  let startedAt: string | null = null;

  function write(body: () => boolean): Recorded {
    try {
      return database.write(body) ? { kind: "recorded" } : { kind: "notOurs" };
    } catch (error) {
      if (error instanceof Busy) return { kind: "later", detail: "the database is locked" };
      if (!(error instanceof StateError)) throw error;
      return error.code === "stateLost" ? { kind: "notOurs" } : { kind: "later", detail: error.message };
    }
  }

  function change(changes: RowChange): Recorded {
    return write(() => updateRow(database, name, uid, changes));
  }

  /** Who looks meanwhile is to know that this is no first start. */
  function ranBefore(): { readonly startedAt?: string } {
    return startedAt === null ? {} : { startedAt };
  }

  return {
    change,
    again(message) {
      mark = null;
      return change({
        status: { phase: "waiting", code: "returning", message, secretMissing: false, ...ranBefore() },
      });
    },
    spawned(spawned) {
      mark = spawned;
      return change({ status: { phase: "spawned", mark: spawned, ...ranBefore() } });
    },
    running(at) {
      startedAt = at;
      if (mark === null) throw new Error("nothing can run that was never spawned");
      return change({ status: { phase: "running", mark, startedAt: at } });
    },
    ended(ending) {
      return write(() => {
        if (!updateRow(database, name, uid, { status: { phase: "ended", mark, startedAt, ending } })) return false;
        const last = readRow(database, name);
        // A mark is honoured in the same breath: nothing of the agent's is left.
        if (last !== null && last.deletionAt !== null) removeRow(database, last);
        return true;
      });
    },
    look(): Look {
      try {
        if (!database.isInPlace()) return { kind: "gone", detail: "its state directory was deleted" };
        if (!lock.isInPlace()) return { kind: "gone", detail: "its folder in the state directory was deleted" };
        const row = readDeletion(database, name);
        if (row?.uid !== uid) return { kind: "gone", detail: "its instance was removed" };
        return { kind: "ours", stop: row.at === null ? null : { graceMs: row.graceMs } };
      } catch (error) {
        if (!(error instanceof Busy) && !(error instanceof StateError)) throw error;
        return { kind: "unreadable", detail: error.message };
      }
    },
  };
}
