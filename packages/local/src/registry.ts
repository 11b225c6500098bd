/** This user's live identities across state directories: a lock each, outside any of them, and beside it who holds it. */
import { readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
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

/** Below the home folder; null where there is none, or none whose locks hold. */
export function defaultRegistryDir(): string | null {
  try {
    const home = homedir();
    const mount = mountOf(home);
    if (mount !== null && (locksMayFail(mount.type) || mount.readOnly)) return null;
    return join(home, ".local", "state", "moorage-identities");
  } catch {
    return null;
  }
}

/** Null where the directory cannot be made: the protection across state directories is then not to be had. */
export function openRegistry(directory: string | null): Registry | null {
  if (directory === null) return null;
  try {
    makeDirectory(directory);
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
