/** The formats that a declaration says, the files behind them, and the lock beside it that keeps what they were. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DeclaredFormats, FormatLock } from "@moorage/bundle";
import {
  BundleError,
  formatLockName,
  formatLockText,
  formatSourcesName,
  parseFormatLock,
  parseFormatSources,
  readFormatContent,
} from "@moorage/bundle";
import type { Axis } from "@moorage/core";
import { axes } from "@moorage/core";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";

export interface Formats {
  readonly declared: DeclaredFormats;
  readonly lock: FormatLock;
  readonly lockFile: string;
}

/** Of the agents of one folder. Throws `formatsDiffer` and `fingerprintInvalid`, exit 2. */
export function readFormats(agents: readonly [DeclaredAgent, ...DeclaredAgent[]]): Formats {
  const [first] = agents;
  const { directory } = first;
  const lockFile = join(directory, formatLockName);
  return guarded(() => {
    const sources = readText(join(directory, formatSourcesName));
    const content = readFormatContent(sources === null ? {} : parseFormatSources(sources), directory);
    const lock = readText(lockFile);
    const version = <A extends Axis>(axis: A): DeclaredAgent["fingerprint"][A] => {
      const other = agents.find(({ fingerprint }) => fingerprint[axis] !== first.fingerprint[axis]);
      if (other !== undefined) throw differ(axis, first, other);
      return first.fingerprint[axis];
    };
    return {
      declared: Object.fromEntries(
        axes.map((axis) => [axis, { version: version(axis), files: content[axis] }]),
      ) as DeclaredFormats,
      lock: lock === null ? {} : parseFormatLock(Buffer.from(lock)),
      lockFile,
    };
  });
}

/** Beside the old one, and then in its place: a full disk leaves what was. */
export function writeLock(lockFile: string, lock: FormatLock): void {
  const fresh = `${lockFile}.${process.pid}.new`;
  writeFileSync(fresh, formatLockText(lock));
  renameSync(fresh, lockFile);
}

/** Runs what reads files of the person's: their flaws are errors of the declaration. */
export function guarded<T>(read: () => T, code: "fingerprintInvalid" | "catalogInvalid" = "fingerprintInvalid"): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    const { message, hint, flaws } = error;
    throw new CliError({ code, message, hint, details: { flaws } });
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "?";
    if (code === "ENOENT") return null;
    throw new CliError({
      code: "fingerprintInvalid",
      message: `${path} cannot be read (${code})`,
      hint: `run \`chmod u+r ${path}\``,
    });
  }
}

function differ(axis: Axis, one: DeclaredAgent, other: DeclaredAgent): CliError {
  return new CliError({
    code: "formatsDiffer",
    message: `${one.name} declares ${axis} ${one.fingerprint[axis]} and ${other.name} ${other.fingerprint[axis]}, and one lock stands for both`,
    hint: `declare the same fingerprint.${axis}, or put ${other.name} into a folder of its own`,
    details: { axis, agents: [one.name, other.name] },
  });
}
