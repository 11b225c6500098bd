/** What this machine keeps of a namespace: the journal of its callers, and when `keep` revived what. */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@moorage/core";
import type { LocalJournal } from "@moorage/local";
import { openJournal } from "@moorage/local";

const dayMs = 86_400_000;

export interface ClusterRecord {
  readonly journal: LocalJournal;
  /** Times (milliseconds since 1970) of the last day, oldest first. */
  revives(name: string): readonly number[];
  /** Unless one is on record since then. */
  recordRevive(name: string, at: number, since: number): void;
  close(): void;
}

/** A folder that cannot be written takes the record and nothing else: what decides is on the cluster. */
export function openClusterRecord(folder: string, clock: Clock, mode: "read" | "write"): ClusterRecord {
  const journal = openJournal(folder, { clock, writable: mode === "write" });
  const path = join(folder, "revives");
  // Also where the folder cannot be written: the budget of this process counts.
  const here: string[] = [];

  function revives(name: string): readonly number[] {
    const from = Date.now() - dayMs;
    const times = [...readLines(path), ...here].flatMap((line) => {
      const [at = "", whose] = line.split(" ");
      return whose === name && Number(at) > from ? [Number(at)] : [];
    });
    return [...new Set(times)].sort((one, other) => one - other);
  }

  return {
    journal,
    revives,
    recordRevive(name, at, since) {
      if (revives(name).some((time) => time >= since)) return;
      here.push(`${at} ${name}`);
      try {
        appendFileSync(path, `${at} ${name}\n`, { mode: 0o600 });
      } catch {
        // Counted here at least.
      }
    },
    close: () => journal.close(),
  };
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
}
