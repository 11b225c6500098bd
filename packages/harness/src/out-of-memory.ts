/** How many processes the kernel ended for want of memory where this process runs; only some platforms count. */
import fs from "node:fs";

/** The count of this process's own control group (Linux, cgroup v2), or null. */
export function outOfMemoryKills(): number | null {
  try {
    const group = /^0::(.*)$/m.exec(fs.readFileSync("/proc/self/cgroup", "utf8"))?.[1];
    if (group === undefined) return null;
    const count = /^oom_kill (\d+)$/m.exec(fs.readFileSync(`/sys/fs/cgroup${group}/memory.events`, "utf8"))?.[1];
    return count === undefined ? null : Number(count);
  } catch {
    return null;
  }
}
