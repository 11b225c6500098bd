/** File systems of a test's own: a small one in memory, and a read-only view of a folder. Root's alone; gone with the place. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "./place.ts";

export interface Disk {
  readonly path: string;
  /** Bytes that are free now. */
  free(): number;
  /** Takes all but so many bytes. */
  fill(left?: number): void;
  empty(): void;
}

/** Whether this process may mount at all: a container's root often may not. */
export const canMount: boolean = triesToMount();

/** In memory, `bytes` large. */
export function smallDisk(place: Place, bytes: number): Disk {
  const path = join(place.dir, "disk");
  mount(place, path, ["-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "moorage-test", path]);
  const filler = join(path, "filler");
  const free = (): number => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    free,
    fill(left = 0) {
      rmSync(filler, { force: true });
      const descriptor = openSync(filler, "w");
      try {
        for (let space = free() - left; space > 0; space = Math.min(space, free() - left))
          writeSync(descriptor, Buffer.alloc(Math.min(space, 65_536)));
      } catch {
        // Others took the last of it meanwhile, which is as good.
      } finally {
        closeSync(descriptor);
      }
    },
    empty: () => rmSync(filler, { force: true }),
  };
}

/** The same folder again, where nobody can write. */
export function readOnlyView(place: Place, of: string): string {
  const path = join(place.dir, "view");
  mount(place, path, ["--bind", of, path]);
  execFileSync("mount", ["-o", "remount,bind,ro", path]);
  return path;
}

function mount(place: Place, path: string, args: readonly string[]): void {
  mkdirSync(path);
  execFileSync("mount", args);
  place.atEnd(() => void execFileSync("umount", ["-l", path]));
}

function triesToMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/tmp"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
