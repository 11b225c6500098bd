/** The scope's own time, by which ages of Secrets are told: a step of the wall clock never moves it. */
import { uptime } from "node:os";
import type { Database } from "./database.ts";

/**
 * Milliseconds since 1970 as the wall clock told them at the scope's first write of this boot, plus what this boot has
 * lasted since; never earlier than a time that was given before. Null before that first write, or without a boot id.
 */
export function readScopeTime(database: Database, bootId: string | null): number | null {
  const row = database.get("SELECT clock_boot, clock_offset FROM scope");
  if (bootId === null || row?.["clock_boot"] !== bootId) return null;
  return Math.round(Number(row["clock_offset"]) + uptime() * 1000);
}

/** The same inside a write, which keeps what it gives. */
export function takeScopeTime(database: Database, bootId: string | null): number {
  const known = readScopeTime(database, bootId);
  const last = Number(database.get("SELECT clock_last FROM scope")?.["clock_last"] ?? 0);
  const now = Math.max(last, known ?? Date.now());
  database.change("UPDATE scope SET clock_last = ?", now);
  if (known === null)
    database.change("UPDATE scope SET clock_boot = ?, clock_offset = ?", bootId, Math.round(now - uptime() * 1000));
  return now;
}
