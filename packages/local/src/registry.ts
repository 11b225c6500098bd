/** This user's live identities across state directories: a lock each, outside any of them, and beside it who holds it. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { HeldLock } from "./lock.ts";
import { probeLock, takeLock } from "./lock.ts";
import { locksMayFail, mountOf } from "./mount.ts";
import { outputHeld } from "./output-held.ts";

export interface Entry {
  /** The state directory in which it lives. */
  readonly stateDir: string;
  /** The FIFOs of its output: what its supervisor left, should that be killed, still holds them. */
  readonly outputs: readonly string[];
}

export interface Registry {
  readonly directory: string;
}

export type Registration =
  | { readonly kind: "taken"; release(): void }
  | { readonly kind: "held"; readonly by: Entry | null };

/** Below the home folder of the user database, whatever HOME says; null where there is none, or none whose locks hold. */
export function defaultRegistryDir(): string | null {
  try {
    const { homedir } = userInfo();
    const mount = mountOf(homedir);
    if (mount !== null && (locksMayFail(mount.type) || mount.readOnly)) return null;
    return join(homedir, ".local", "state", "moorage-identities");
  } catch {
    return null;
  }
}

/** Null where the directory cannot be made: the protection across state directories is then not to be had. */
export function openRegistry(directory: string | null): Registry | null {
  if (directory === null) return null;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
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
  if (isKey) return `key-${identity}`;
  return `name-${identity}-${Buffer.from(stateDir).toString("base64url").slice(-120)}`;
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
  const { lock, note } = files(registry, key);
  const elsewhere = heldElsewhere(registry, key, entry.stateDir);
  if (elsewhere !== null) return { kind: "held", by: elsewhere };
  const taken: HeldLock | null = takeLock(lock, 100);
  if (taken === null) return { kind: "held", by: readEntry(note) };
  writeFileSync(`${note}.new`, JSON.stringify(entry), { mode: 0o600 });
  renameSync(`${note}.new`, note);
  return {
    kind: "taken",
    release() {
      rmSync(note, { force: true });
      taken.release();
    },
  };
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
