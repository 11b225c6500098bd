/** Closes what this process inherited open, so that its agent inherits nothing but its own three descriptors. */
import fs from "node:fs";

/** O_CLOEXEC in the octal flags of Linux's fdinfo. */
const closeOnExec = 0o2000000;

/**
 * For the very start of a supervisor's process. Linux alone: elsewhere a spawn hands nothing on that was not asked for.
 * What this process opened itself is closed at an exec and stays; so does `keep`.
 */
export function closeInheritedDescriptors(keep: ReadonlySet<number> = new Set([0, 1, 2])): void {
  if (process.platform !== "linux") return;
  for (const name of readable(() => fs.readdirSync("/proc/self/fdinfo"), [])) {
    const fd = Number(name);
    if (keep.has(fd)) continue;
    const flags = /^flags:\s+([0-7]+)$/m.exec(
      readable(() => fs.readFileSync(`/proc/self/fdinfo/${name}`, "utf8"), ""),
    )?.[1];
    if (flags === undefined || (Number.parseInt(flags, 8) & closeOnExec) !== 0) continue;
    readable(() => fs.closeSync(fd), undefined);
  }
}

function readable<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
