/** Which file system a path is on: locks do not hold on every one, and a state there would not be safe. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export interface Mount {
  readonly point: string;
  /** The kernel's name of the type, such as `ext4` or `nfs4`. */
  readonly type: string;
  readonly readOnly: boolean;
}

/** Network, shared-folder and user-space file systems: their locks are local to one side, or not there at all. */
const unsafe = new Set([
  "9p",
  "acfs",
  "afpfs",
  "afs",
  "beegfs",
  "ceph",
  "cifs",
  "coda",
  "drvfs",
  "fakeowner",
  "fuse",
  "fuseblk",
  "gpfs",
  "lustre",
  "macfuse",
  "ncpfs",
  "nfs",
  "nfs4",
  "orangefs",
  "osxfuse",
  "prl_fs",
  "smb2",
  "smb3",
  "smbfs",
  "vboxsf",
  "virtiofs",
  "vmhgfs",
  "webdav",
]);

/** Whether the kernel's locks are known not to hold there. An unknown type passes: it is some disk's. */
export function locksMayFail(type: string): boolean {
  return unsafe.has(type) || type.startsWith("fuse.");
}

/** The mount of an absolute, resolved path; null when this platform does not tell. */
export function mountOf(path: string): Mount | null {
  try {
    return process.platform === "linux"
      ? innermost(parseMountInfo(readFileSync("/proc/self/mountinfo", "utf8")), path)
      : innermost(parseMountOutput(execFileSync("mount", { encoding: "utf8", timeout: 5_000 })), path);
  } catch {
    return null;
  }
}

/** The lines of Linux' `/proc/self/mountinfo`, proc(5). */
export function parseMountInfo(text: string): Mount[] {
  const mounts: Mount[] = [];
  for (const line of text.split("\n")) {
    const [before, after] = line.split(" - ");
    const point = before?.split(" ")[4];
    const options = before?.split(" ")[5];
    const type = after?.split(" ")[0];
    if (point === undefined || options === undefined || type === undefined) continue;
    const readOnly = options.split(",").includes("ro") || (after?.split(" ")[2] ?? "").split(",").includes("ro");
    mounts.push({ point: unescapeOctal(point), type, readOnly });
  }
  return mounts;
}

/** The lines of macOS' `mount`: `/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled)`. */
export function parseMountOutput(text: string): Mount[] {
  const mounts: Mount[] = [];
  for (const line of text.split("\n")) {
    const match = /^.* on (\/.*) \(([^()]*)\)$/.exec(line);
    const [type, ...options] = match?.[2]?.split(", ") ?? [];
    if (match?.[1] !== undefined && type !== undefined)
      mounts.push({ point: match[1], type, readOnly: options.includes("read-only") });
  }
  return mounts;
}

/** A later mount on the same point covers an earlier one. */
function innermost(mounts: readonly Mount[], path: string): Mount | null {
  let found: Mount | null = null;
  for (const mount of mounts) {
    const covers = mount.point === "/" || path === mount.point || path.startsWith(`${mount.point}/`);
    if (covers && (found === null || mount.point.length >= found.point.length)) found = mount;
  }
  return found;
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
