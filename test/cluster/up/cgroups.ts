/** A node's own place among the control groups, in both of their layouts: the kubelet wants it to be there when it starts. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "./run.ts";

const root = "/sys/fs/cgroup";

export function unifiedCgroups(): boolean {
  return existsSync(join(root, "cgroup.controllers"));
}

export function makeCgroup(name: string): void {
  if (unifiedCgroups()) {
    const controllers = readFileSync(join(root, "cgroup.controllers"), "utf8").trim().split(/\s+/);
    for (const controller of controllers) handDown(controller);
    mkdirSync(join(root, name), { recursive: true });
    return;
  }
  for (const controller of readdirSync(root)) {
    try {
      mkdirSync(join(root, controller, name), { recursive: true });
    } catch {
      // Some are mounted for reading alone, or are links to others.
    }
  }
  // A new group of the cpuset hierarchy holds nothing, and no process may enter it.
  for (const file of ["cpuset.cpus", "cpuset.mems"]) {
    const from = join(root, "cpuset", file);
    if (existsSync(from)) writeFileSync(join(root, "cpuset", name, file), readFileSync(from));
  }
}

/** Refused one by one where a controller is not to be had. */
function handDown(controller: string): void {
  try {
    writeFileSync(join(root, "cgroup.subtree_control"), `+${controller}`);
  } catch {
    // The kubelet says which one it misses.
  }
}

export function removeCgroup(name: string): void {
  const places = unifiedCgroups() ? [root] : readdirSync(root).map((controller) => join(root, controller));
  for (const place of places) {
    const own = join(place, name);
    if (!existsSync(own)) continue;
    attempt("find", own, "-depth", "-mindepth", "1", "-type", "d", "-exec", "rmdir", "{}", "+");
    try {
      rmdirSync(own);
    } catch {
      // A process that is just ending holds it; the next cluster uses it again.
    }
  }
}
