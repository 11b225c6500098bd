/** Can the command run at all? Looked at before anything is created, so that a typing error is told as one. */
import type { Stats } from "node:fs";
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { basename, delimiter, resolve } from "node:path";
import type { Fault } from "../declaration/names.ts";

/** Programs whose first argument is a script of theirs. */
const interpreters = new Set(["node", "bun", "deno", "python", "python3", "ruby", "perl", "sh", "bash", "dash", "zsh"]);

export function isInterpreter(program: string): boolean {
  return interpreters.has(basename(program).replace(/[\d.]+$/, (version) => (version === "3" ? "3" : "")));
}

/** First bytes of programs: ELF, and Mach-O in its forms. */
const magics = [0x7f454c46, 0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe];

/** null when the command can be run from `directory` with that PATH. */
export function commandFault(command: readonly string[], directory: string, path: string): Fault | null {
  const [program = "", script] = command;
  const found = find(program, directory, path);
  if (found.kind === "fault") return found;
  return programFault(found.path, program, directory, path) ?? scriptFault(program, script, directory);
}

type Found = { readonly kind: "found"; readonly path: string } | ({ readonly kind: "fault" } & Fault);

function find(program: string, directory: string, path: string): Found {
  if (program.includes("/")) return judge(resolve(directory, program), program);
  let unfit: Found | undefined;
  for (const folder of path.split(delimiter)) {
    const candidate = resolve(directory, folder, program);
    const stats = statsOf(candidate);
    if (stats === undefined || stats.isDirectory()) continue;
    const judged = judge(candidate, candidate);
    if (judged.kind === "found") return judged;
    unfit ??= judged;
  }
  if (unfit !== undefined) return unfit;
  const here = statsOf(resolve(directory, program))?.isFile() === true;
  const hint = here
    ? `write ./${program}: the declaration's folder is not on PATH`
    : /\s/.test(program)
      ? "write each word of the command by itself, such as [node, agent.ts]: no shell takes it apart"
      : "install it, or write its path";
  return { kind: "fault", message: `there is no program ${program} on PATH`, hint };
}

function judge(path: string, shown: string): Found {
  const stats = statsOf(path);
  if (stats === undefined) return { kind: "fault", message: `there is no ${shown}`, hint: "correct run.command" };
  if (stats.isDirectory()) return { kind: "fault", message: `${shown} is a folder`, hint: "name the program in it" };
  if (!stats.isFile()) return { kind: "fault", message: `${shown} is no file`, hint: "name a program" };
  if (!mayExecute(path))
    return { kind: "fault", message: `${shown} may not be executed`, hint: `run \`chmod +x ${shown}\`` };
  return { kind: "found", path };
}

/** A folder of PATH that may not be looked into has no program for this user: shells pass it over as well. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function mayExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A file that may be executed and still cannot run: a script without an interpreter, or with one that is not there. */
function programFault(path: string, shown: string, directory: string, searchPath: string): Fault | null {
  const head = firstBytes(path);
  if (head === null) return null;
  if (head.length === 0) return { message: `${shown} is empty`, hint: "name another program" };
  const [, line] = /^#!\s*([^\n]*)/.exec(head.toString("latin1")) ?? [];
  if (line === undefined) {
    if (magics.includes(head.length < 4 ? 0 : head.readUInt32BE(0)) || head.includes(0)) return null;
    return {
      message: `${shown} is a script without an interpreter`,
      hint: "begin it with a line such as #!/bin/sh, or name the interpreter in run.command",
    };
  }
  const [interpreter = "", ...rest] = line.trim().split(/\s+/);
  if (!mayExecute(interpreter) || statSync(interpreter).isDirectory())
    return {
      message: `${shown} wants the interpreter ${interpreter || "(none)"}, which is not there`,
      hint: "install it, or correct the script's first line",
    };
  const named = rest.find((word) => !word.startsWith("-") && !word.includes("="));
  if (basename(interpreter) !== "env" || named === undefined) return null;
  const found = find(named, directory, searchPath);
  return found.kind === "found"
    ? null
    : { message: `${shown} wants the interpreter ${named}, which is not on PATH`, hint: `install ${named}` };
}

function firstBytes(path: string): Buffer | null {
  try {
    const descriptor = openSync(path, "r");
    try {
      const head = Buffer.alloc(256);
      return head.subarray(0, readSync(descriptor, head));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // It may be executed and not read: nothing can be said about it.
    return null;
  }
}

/** `node agent.ts` from the wrong folder: the program is there, its script is not. */
function scriptFault(program: string, script: string | undefined, directory: string): Fault | null {
  if (script === undefined || script.startsWith("-") || !/\.\w+$/.test(script)) return null;
  if (!isInterpreter(program)) return null;
  if (statsOf(resolve(directory, script)) !== undefined) return null;
  return {
    message: `there is no ${script} in ${directory}`,
    hint: "correct the command: its paths count from that folder",
  };
}
