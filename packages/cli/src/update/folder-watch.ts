/** Notices when a folder was saved: by looking, so that it holds for every editor, every file system and a folder that is put in place of another. */
import fs from "node:fs";
import { join } from "node:path";
import type { Clock } from "@moorage/core";
import { lookUntil } from "../look-until.ts";

/** Between two looks, in milliseconds; of a large folder so long that looking takes a tenth of the time at most. */
const lookMs = 300;
const entriesAtMost = 50_000;

/**
 * Resolves at the next change of any of the folders that has come to rest: two looks in a row see the same. `seen`: what
 * `folderSignature` gave before. Resolves with the new signature, or null when the signal aborts.
 */
export async function nextSave(
  folders: readonly string[],
  seen: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | null> {
  let last = seen;
  const atRest = (late: boolean): string | null => {
    if (late) return null;
    const before = last;
    last = folderSignature(folders);
    return last !== seen && last === before ? last : null;
  };
  return lookUntil(atRest, { clock, signal, pauseMs: (tookMs) => Math.max(lookMs, 10 * tookMs) });
}

/** Moves whenever a file in one of the folders comes, goes or is written. */
export function folderSignature(folders: readonly string[]): string {
  const parts: string[] = [];
  const visit = (path: string): void => {
    if (parts.length > entriesAtMost) return;
    const stat = statAt(path);
    parts.push(stat === undefined ? `${path}?` : `${path}|${stat.ino}|${stat.size}|${stat.mtimeNs}`);
    if (stat?.isDirectory() !== true) return;
    for (const name of namesIn(path)) visit(join(path, name));
  };
  for (const folder of folders) visit(folder);
  return parts.join("\n");
}

/** A link in a circle, and what may not be looked at, is there as little as what is missing: whoever builds tells it. */
function statAt(path: string): fs.BigIntStats | undefined {
  try {
    return fs.statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

/** What cannot be listed is told by whoever builds a bundle of it. */
function namesIn(path: string): string[] {
  try {
    return fs.readdirSync(path).sort();
  } catch {
    return [];
  }
}
