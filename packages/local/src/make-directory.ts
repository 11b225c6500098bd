/** Makes a directory and what is missing above it, private to its owner, and comes to an end wherever it is asked to. */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Like the recursive `mkdir` of Node, which goes round for ever where a parent is there and still nothing can be made in
 * it, as below /proc. Throws what the system says.
 */
export function makeDirectory(path: string): void {
  const missing: string[] = [];
  for (let at = path; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) missing.push(at);
  for (const at of missing.reverse()) {
    try {
      mkdirSync(at, { mode: 0o700 });
    } catch (error) {
      // Somebody else has just made it.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
