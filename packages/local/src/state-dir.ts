/** Where a user's state lives, and whether a directory may be used for it: everything is checked before the first write. */
import { accessSync, constants, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "./make-directory.ts";
import type { Mount } from "./mount.ts";
import { locksMayFail } from "./mount.ts";
import { stateFault } from "./sqlite-fault.ts";
import { StateError } from "./state-error.ts";

/** `$XDG_STATE_HOME/moorage`, or below HOME; throws `homeUnset` when neither is set. */
export function defaultStateDir(environment: Readonly<Record<string, string | undefined>>): string {
  const base = environment["XDG_STATE_HOME"];
  // The base directory specification: a relative path there is to be ignored.
  if (base?.startsWith("/")) return `${base}/moorage`;
  const home = environment["HOME"];
  if (home?.startsWith("/")) return `${home}/.local/state/moorage`;
  throw new StateError(
    "homeUnset",
    "HOME is not set, so there is no place for the state",
    "set HOME, or say where the state is with `--state DIR`",
  );
}

export interface DirectoryCheck {
  readonly mode: "read" | "write";
  readonly euid: number;
  readonly mountOf: (path: string) => Mount | null;
}

/** The resolved path of a usable state directory, or null when it is not there and nothing may be made. Throws a `StateError`. */
export function checkStateDir(path: string, check: DirectoryCheck): string | null {
  try {
    const place = nearest(path);
    checkOwner(path, place, check.euid);
    checkMount(path, check.mountOf(place.real), check.mode);
    if (place.path !== path) {
      if (check.mode === "read") return null;
      makeDirectory(path);
    } else if (!place.isDirectory) {
      throw new StateError(
        "stateNotADirectory",
        `${path} is no directory, so there is no place for the state`,
        "choose another place with `--state DIR`",
      );
    }
    accessSync(path, check.mode === "write" ? constants.R_OK | constants.W_OK | constants.X_OK : constants.X_OK);
    return realpathSync(path);
  } catch (error) {
    throw leadsNowhere(error, path) ?? stateFault(error, path);
  }
}

/** What the system says of a path at which no directory can ever be, as it is: another place, or another path, is the way out. */
const nowhere: ReadonlySet<unknown> = new Set(["ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENOENT", "EINVAL"]);

function leadsNowhere(error: unknown, path: string): StateError | null {
  if (!(error instanceof Error && "code" in error && nowhere.has(error.code))) return null;
  return new StateError(
    "stateNotADirectory",
    `${path} can be no directory (${error.message}), so there is no place for the state`,
    "choose another place with `--state DIR`",
    { cause: error },
  );
}

interface Place {
  readonly path: string;
  readonly real: string;
  readonly owner: number;
  readonly isDirectory: boolean;
}

/** The path itself, or the nearest thing above it that is there. */
function nearest(path: string): Place {
  for (let at = path; ; at = dirname(at)) {
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined && at !== dirname(at)) continue;
    const stat = statSync(at);
    return { path: at, real: realpathSync(at), owner: stat.uid, isDirectory: stat.isDirectory() };
  }
}

function checkOwner(path: string, place: Place, euid: number): void {
  const database = place.path === path ? statSync(join(path, "state.db"), { throwIfNoEntry: false }) : undefined;
  const owner = database?.uid ?? place.owner;
  // What lies below a folder of root's (/tmp, /var) is anybody's to make; root below a user's folder is `sudo`.
  if (owner === euid || (place.path !== path && euid !== 0)) return;
  throw new StateError(
    "stateOtherOwner",
    `${database === undefined ? place.path : path} belongs to another user (${owner}), and you are user ${euid}: nothing was written`,
    "run it as that user, without sudo, or choose another place with `--state DIR`",
  );
}

function checkMount(path: string, mount: Mount | null, mode: "read" | "write"): void {
  if (mount === null) return;
  if (locksMayFail(mount.type))
    throw new StateError(
      "stateUnsupportedFileSystem",
      `${path} is on a file system (${mount.type} at ${mount.point}) on which locks do not hold, so nobody could tell who lives`,
      "choose a place on a local disk with `--state DIR`",
    );
  if (mount.readOnly && mode === "write")
    throw new StateError(
      "stateReadOnly",
      `the state in ${path} cannot be written: ${mount.point} is mounted read-only`,
      "make it writable, or choose another place with `--state DIR`",
    );
}
