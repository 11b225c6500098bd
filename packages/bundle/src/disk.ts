/** The few steps in which anything durable is written: each may be the last, and a test can stop at any of them. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "./node-error.ts";

/** Every change of the file system goes through one of these, and leaves something whole whatever comes next. */
export interface Disk {
  makeFolder(path: string): void;
  /** A file that was not there, for its owner alone. */
  create(path: string, mode: number): number;
  write(file: number, bytes: Uint8Array): void;
  sync(file: number): void;
  close(file: number): void;
  rename(from: string, to: string): void;
  /** False when the name is taken: of several that link at once, one wins. */
  symbolicLink(target: string, path: string): boolean;
  syncFolder(path: string): void;
  /** With all that is in it; what is not there is fine. */
  remove(path: string): void;
}

export const nodeDisk: Disk = {
  makeFolder(path) {
    fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  },
  create: (path, mode) => fs.openSync(path, "wx", mode),
  write(file, bytes) {
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(file, bytes, at);
  },
  sync: (file) => fs.fsyncSync(file),
  close: (file) => fs.closeSync(file),
  rename: (from, to) => fs.renameSync(from, to),
  symbolicLink(target, path) {
    try {
      fs.symlinkSync(target, path);
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  },
  syncFolder(path) {
    const folder = fs.openSync(path, "r");
    try {
      fs.fsyncSync(folder);
    } finally {
      fs.closeSync(folder);
    }
  },
  remove(path) {
    try {
      // Most of what is removed is one file or link.
      fs.unlinkSync(path);
    } catch {
      fs.rmSync(path, { recursive: true, force: true });
    }
  },
};

/** A folder that is there after a loss of power too, with those that lead to it. */
export function makeDurableFolder(disk: Disk, path: string): void {
  const missing: string[] = [];
  for (let at = path; !fs.existsSync(at); at = dirname(at)) missing.push(at);
  if (missing.length === 0) return;
  disk.makeFolder(path);
  for (const made of missing.reverse()) disk.syncFolder(dirname(made));
}

/** What a killed process leaves is known by its name, and swept once it is old. */
const unfinishedName = /^\..*\.[0-9a-f]{16}\.new$/;

/** Beside a path, for what will take its place. */
export function unfinished(path: string): string {
  return `${dirname(path)}/.${basename(path)}.${randomBytes(8).toString("hex")}.new`;
}

/** A whole file under an unfinished name, its content on the disk. */
export function writeUnfinished(disk: Disk, path: string, parts: Iterable<Uint8Array>, mode = 0o600): string {
  const fresh = unfinished(path);
  const file = disk.create(fresh, mode);
  try {
    try {
      for (const batch of batches(parts)) disk.write(file, batch);
      disk.sync(file);
    } finally {
      disk.close(file);
    }
  } catch (error) {
    disk.remove(fresh);
    throw error;
  }
  return fresh;
}

const batchBytes = 1024 * 1024;

/** Small parts are written together: a thousand files are a few writes. */
function* batches(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for (const part of parts) {
    batch.push(part);
    bytes += part.length;
    if (bytes < batchBytes) continue;
    yield Buffer.concat(batch);
    batch = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(batch);
}

/** An hour: nobody takes that long to write one file. */
const abandonedMs = 3_600_000;

/** Removes what killed processes left in a folder more than an hour ago. `now` in milliseconds since 1970. */
export function sweepUnfinished(disk: Disk, folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    if (!unfinishedName.test(name)) continue;
    const stat = fs.lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (stat !== undefined && now - stat.mtimeMs > abandonedMs) disk.remove(join(folder, name));
  }
}

/** Empty when there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
