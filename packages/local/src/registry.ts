/** This user's live identities across state directories: a lock each, outside any of them, and beside it who holds it. */
import { accessSync, constants, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ensurePrivateDirectory } from "@moorage/harness";
import type { HeldLock } from "./lock.ts";
import { probeLock, takeLock } from "./lock.ts";
import { makeDirectory } from "./make-directory.ts";
import { locksMayFail, mountOf } from "./mount.ts";
import { outputHeld } from "./output-held.ts";

/** Milliseconds that a lock may seem held because somebody merely looks at it. */
const lookersMs = 100;

export interface Entry {
  /** The state directory in which it lives. */
  readonly stateDir: string;
  /** The FIFOs of its output: what its supervisor left, should that be killed, still holds them. */
  readonly outputs: readonly string[];
}

export interface Registry {
  readonly directory: string;
}

/** `impossible`: the place cannot be written; the protection across state directories is then not to be had. */
export type Registration =
  | { readonly kind: "taken"; release(): void }
  | { readonly kind: "held"; readonly by: Entry | null }
  | { readonly kind: "impossible" };

/** Where a user's registry may be. */
export interface RegistryHome {
  /** Null: this user has none. */
  readonly home: string | null;
  readonly temporaryDir: string;
  readonly uid: number;
}

function thisUser(): RegistryHome {
  return { home: homeOrNone(), temporaryDir: tmpdir(), uid: process.getuid?.() ?? 0 };
}

/** Who is not in the table of users, and has no HOME, has none. */
function homeOrNone(): string | null {
  try {
    return homedir();
  } catch {
    return null;
  }
}

/**
 * Below the home folder; where nothing can be written there, among the user's private temporary things, which at least
 * outlive the seconds in which a state directory is deleted and made again. Null where neither is to be had.
 */
export function openUsersRegistry(user: RegistryHome = thisUser()): Registry | null {
  const { home } = user;
  const own = home !== null && usable(home) ? openRegistry(join(home, ".local", "state", "moorage-identities")) : null;
  if (own !== null || !usable(user.temporaryDir)) return own;
  const temporary = join(user.temporaryDir, `moorage-${user.uid}`);
  return ensurePrivateDirectory(temporary, user.uid) === null ? openRegistry(join(temporary, "identities")) : null;
}

/** Whether locks hold there, and whether it can be written at all. */
function usable(directory: string): boolean {
  const mount = mountOf(directory);
  return mount === null || !(locksMayFail(mount.type) || mount.readOnly);
}

/** Null where the directory cannot be made or written: the protection across state directories is then not to be had. */
export function openRegistry(directory: string | null): Registry | null {
  if (directory === null) return null;
  try {
    makeDirectory(directory);
    accessSync(directory, constants.W_OK | constants.X_OK);
    return { directory };
  } catch {
    return null;
  }
}

/**
 * What is registered: a key is one agent wherever its state is, a name is one within a state directory. The latter keeps
 * a directory that was deleted and made again from a second copy while the first still ends.
 */
export function registryKey(identity: string, isKey: boolean, stateDir: string): string {
  return isKey ? join("keys", identity) : join("names", stateDir, identity);
}

/** Who else holds it: in another state directory, alive or with its output still held. Null: nobody. */
export function heldElsewhere(registry: Registry, key: string, stateDir: string): Entry | null {
  const { lock, note } = files(registry, key);
  const entry = readEntry(note);
  if (entry === null || entry.stateDir === stateDir) return null;
  return probeLock(lock) === "held" || outputHeld(entry.outputs) === true ? entry : null;
}

/** For a supervisor: takes it for life. */
export function register(registry: Registry, key: string, entry: Entry): Registration {
  try {
    return take(registry, key, entry);
  } catch {
    return { kind: "impossible" };
  }
}

function take(registry: Registry, key: string, entry: Entry): Registration {
  const { lock, note } = files(registry, key);
  const elsewhere = heldElsewhere(registry, key, entry.stateDir);
  if (elsewhere !== null) return { kind: "held", by: elsewhere };
  const taken = takeInPlace(lock);
  if (taken === null) return { kind: "held", by: readEntry(note) };
  try {
    writeFileSync(`${note}.new`, JSON.stringify(entry), { mode: 0o600 });
    renameSync(`${note}.new`, note);
  } catch (error) {
    taken.release();
    throw error;
  }
  return {
    kind: "taken",
    release() {
      rmSync(note, { force: true });
      // Whoever has opened it by now finds out that it is no longer in its place.
      rmSync(lock, { force: true });
      taken.release();
      removeEmpty(dirname(lock), registry.directory);
    },
  };
}

/** Null: somebody holds it, or is just letting go of it. */
function takeInPlace(path: string): HeldLock | null {
  makeDirectory(dirname(path));
  let taken: HeldLock | null;
  try {
    taken = takeLock(path, lookersMs);
  } catch (error) {
    // Its folder was empty, and somebody has just removed it.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  if (taken?.isInPlace() !== false) return taken;
  taken.release();
  return null;
}

function removeEmpty(from: string, upTo: string): void {
  try {
    for (let at = from; at !== upTo; at = dirname(at)) rmdirSync(at);
  } catch {
    // Others are registered below it.
  }
}

function files(registry: Registry, key: string): { lock: string; note: string } {
  return { lock: join(registry.directory, `${key}.lock`), note: join(registry.directory, `${key}.json`) };
}

function readEntry(note: string): Entry | null {
  try {
    return JSON.parse(readFileSync(note, "utf8")) as Entry;
  } catch {
    return null;
  }
}
