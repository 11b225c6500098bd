/** From SQLite's codes to faults of the state, each with its words. */
import { statfsSync } from "node:fs";
import { StateError } from "./state-error.ts";

const busy = 5;
const locked = 6;
const readOnly = 8;
const ioError = 10;
const corrupt = 11;
const full = 13;
const cannotOpen = 14;
const notADatabase = 26;

/** SQLite's primary result code of an error, or null when it is not SQLite's. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  return error.errcode & 0xff;
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === busy || code === locked;
}

/** No space, by SQLite's own word or because an input/output error met a full file system. */
function isDiskFull(error: unknown, directory: string): boolean {
  if (error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) return true;
  const code = sqliteCode(error);
  return code === full || ((code === ioError || code === cannotOpen) && spaceLeft(directory) === 0);
}

/** Whether SQLite or the file system said no: everything else is a mistake of our own. */
export function isSystemFault(error: unknown): boolean {
  return sqliteCode(error) !== null || (error instanceof Error && "syscall" in error);
}

/** The state's fault behind an error of SQLite or of the file system. */
export function stateFault(error: unknown, directory: string): StateError {
  if (error instanceof StateError) return error;
  const options = { cause: error };
  const words = error instanceof Error ? error.message : String(error);
  if (isDiskFull(error, directory))
    return new StateError(
      "stateDiskFull",
      `there is no space left for the state in ${directory}: what was asked for is not recorded, nothing else is lost`,
      "free some space and try again; agents that run go on",
      options,
    );
  const code = sqliteCode(error);
  if (code === corrupt || code === notADatabase)
    return new StateError(
      "stateCorrupt",
      `the database ${directory}/state.db is damaged (${words}); it was left as it is`,
      "restore it from a copy, or stop what runs, move the directory away and deploy again; `moorage doctor` says what is there",
      options,
    );
  if (code === readOnly || systemCode(error) === "EROFS")
    return new StateError(
      "stateReadOnly",
      `the state in ${directory} cannot be written: it is read-only`,
      "make it writable, or choose another place with `--state DIR`",
      options,
    );
  if (code === cannotOpen || systemCode(error) === "EACCES" || systemCode(error) === "EPERM")
    return new StateError(
      "stateNotWritable",
      `the state directory ${directory} cannot be used: ${words}`,
      `give yourself the right to write there (\`ls -ld ${directory}\` shows it), or choose another place with \`--state DIR\``,
      options,
    );
  return new StateError(
    "stateFault",
    `the state in ${directory} does not answer: ${words}`,
    "run `moorage doctor`",
    options,
  );
}

function systemCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

function spaceLeft(directory: string): number {
  try {
    return statfsSync(directory).bavail;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
