/** Who holds a lock on a database just now, for the text of an error. */
import { readFileSync, statSync } from "node:fs";

/** "process 123 (sqlite3 …)" of whoever has locked the database for writing; null where it cannot be told (macOS, other namespaces). */
export function lockHolder(path: string): string | null {
  try {
    const inodes = new Set([path, `${path}-shm`].map((file) => statSync(file, { throwIfNoEntry: false })?.ino));
    for (const line of readFileSync("/proc/locks", "utf8").split("\n")) {
      const [, kind, , mode, pid, file] = line.trim().split(/\s+/);
      const inode = Number(file?.split(":")[2]);
      if (kind !== "POSIX" || mode !== "WRITE" || pid === String(process.pid) || !inodes.has(inode)) continue;
      return `process ${pid} (${commandOf(Number(pid))})`;
    }
  } catch {
    return null;
  }
  return null;
}

/** The program alone: arguments may hold anything. */
function commandOf(pid: number): string {
  const name = readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  return name === "" ? "unknown" : name;
}
