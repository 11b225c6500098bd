/** Which files make a declaration, and their text: a file or a folder, whatever somebody may have put in its place. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { CliError } from "../errors/cli-error.ts";

/** Bytes. A declaration is written by hand: what is larger is another file. */
const largest = 1024 * 1024;

export interface SourceFile {
  /** As the person named it, or below the folder that was named. */
  readonly shown: string;
  /** Absolute, without symbolic links: this is recorded with the instance. */
  readonly path: string;
  readonly directory: string;
  readonly text: string;
}

/** The files of a declaration. A folder gives all its `*.yaml` and `*.yml`, by name. Throws `declarationMissing` or `declarationUnreadable`. */
export function readSourceFiles(named: string, cwd: string): SourceFile[] {
  const path = join(named.startsWith("/") ? "/" : cwd, named);
  if (kindOf(path, named) === "folder") {
    const names = readdirSync(path)
      .filter((name) => /^[^.].*\.ya?ml$/.test(name))
      .sort();
    if (names.length === 0)
      throw unreadable(named, "is a folder without any *.yaml", "name a file, or put agent.yaml in it");
    return names.map((name) => readSourceFile(join(path, name), join(named, name)));
  }
  return [readSourceFile(path, named)];
}

function readSourceFile(path: string, shown: string): SourceFile {
  if (kindOf(path, shown) === "folder") throw unreadable(shown, "is a folder", "rename it, or name another file");
  const bytes = readBytes(path, shown);
  const real = realpathSync(path);
  return { shown, path: real, directory: dirname(real), text: decode(bytes, shown) };
}

function kindOf(path: string, shown: string): "file" | "folder" {
  let stats: ReturnType<typeof statSync>;
  try {
    stats = statSync(path);
  } catch (error) {
    throw systemFault(error, shown);
  }
  if (stats.isDirectory()) return "folder";
  if (stats.isFile()) return "file";
  throw unreadable(shown, "is a pipe, socket or device and no file", "name a regular file");
}

/** Opened without waiting: whatever stands there now, a reader never hangs on it. */
function readBytes(path: string, shown: string): Buffer {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(descriptor);
      if (size > largest)
        throw unreadable(shown, `is ${size} bytes long, and ${largest} is the most`, "name another file");
      return readFileSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw error instanceof CliError ? error : systemFault(error, shown);
  }
}

function decode(bytes: Buffer, shown: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unreadable(shown, "is not UTF-8", "save it as UTF-8");
  }
}

function unreadable(shown: string, message: string, hint: string): CliError {
  return new CliError({
    code: "declarationUnreadable",
    message: `${shown} ${message}`,
    hint,
    details: { file: shown },
  });
}

function systemFault(error: unknown, shown: string): CliError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOENT" || code === "ENOTDIR")
    return new CliError({
      code: "declarationMissing",
      message: `there is no ${shown}`,
      hint: "run `moorage init`, name the file with `--file`, or go without one: `moorage deploy NAME -- COMMAND`",
      details: { file: shown },
    });
  if (code === "EACCES" || code === "EPERM")
    return unreadable(shown, "may not be read by you", `run \`chmod u+r ${shown}\``);
  if (code === "ELOOP") return unreadable(shown, "is a symbolic link to itself", "name the file itself");
  return unreadable(shown, `cannot be read (${code || "unknown reason"})`, "name another file");
}
