/** Where an instance's socket lies: beside its state where the path is short enough, else in a private directory with a short one. */
import fs from "node:fs";
import { HarnessFault } from "./spec.ts";

/** Below what every platform can bind (103 bytes on macOS, 107 on Linux). */
const longest = 99;

export interface SocketPlaces {
  /** The wanted path, in the instance's own directory. */
  readonly wanted: string;
  /** What tells this instance from any other, such as its name and attempt; becomes part of the file's name. */
  readonly key: string;
  /** `XDG_RUNTIME_DIR`, where it is set. */
  readonly runtimeDir: string | null;
  readonly temporaryDir: string;
  readonly uid: number;
}

/** The path for `socketPath`; its directory exists then, 0700 and ours. Throws a `HarnessFault` that names what is in the way. */
export function chooseSocketPath(places: SocketPlaces): string {
  if (fitsSocketPath(places.wanted)) return places.wanted;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const name = `${createHash("sha256").update(`${places.wanted}\0${places.key}`).digest("hex").slice(0, 24)}.sock`;
  const directories = [
    ...(places.runtimeDir === null ? [] : [`${places.runtimeDir}/moorage`]),
    `${places.temporaryDir}/moorage-${places.uid}`,
    `/tmp/moorage-${places.uid}`,
  ];
  const problems: string[] = [];
  for (const directory of directories) {
    const path = `${directory}/${name}`;
    const problem = fitsSocketPath(path)
      ? ensurePrivateDirectory(directory, places.uid)
      : "its path is too long as well";
    if (problem === null) return path;
    problems.push(`${directory}: ${problem}`);
  }
  throw new HarnessFault(
    "socketPath",
    `the socket ${places.wanted} has ${Buffer.byteLength(places.wanted)} bytes, more than the ${longest} that a socket's path may have, and no short place for it can be used (${problems.join("; ")})`,
    "use a state directory with a shorter path: `--state DIR`",
  );
}

/** Whether every platform can bind a socket there. */
export function fitsSocketPath(path: string): boolean {
  return Buffer.byteLength(path) <= longest;
}

/** Makes the directory where it is missing. Null, or why it cannot be trusted: others could put a socket of theirs there. */
export function ensurePrivateDirectory(directory: string, uid: number): string | null {
  try {
    if (!fs.existsSync(directory)) fs.mkdirSync(directory, { mode: 0o700 });
    const stat = fs.lstatSync(directory);
    if (!stat.isDirectory()) return "it is not a directory";
    if (stat.uid !== uid) return `it belongs to another user (${stat.uid})`;
    if ((stat.mode & 0o077) !== 0) return "others may use it";
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
