/** Whether a command can be started at all, looked at before anything is spawned, so that the answer is in words. */
import fs from "node:fs";
import { resolve } from "node:path";

export type Program =
  | { readonly kind: "found"; readonly path: string }
  /** `detail` says what is wrong, for people. */
  | { readonly kind: "refused"; readonly detail: string };

/** Finds what `command` names: in `path` (as in PATH) without a slash, else relative to the directory. */
export function findProgram(command: string, directory: string, path: string): Program {
  if (!isDirectory(directory)) return refused(`its directory ${directory} is not there`);
  if (command.includes("/")) return judge(resolve(directory, command), command);
  if (command === "") return refused("its command is empty");
  let first: Program | null = null;
  for (const place of path.split(":")) {
    const program = judge(resolve(directory, place, command), command);
    if (program.kind === "found") return program;
    // As a shell does: what is there and cannot be executed is told only when no other place has it.
    if (first === null && exists(resolve(directory, place, command))) first = program;
  }
  return first ?? refused(`the command ${command} was not found in PATH (${path})`);
}

function judge(path: string, command: string): Program {
  const named = path === command ? command : `${command} (${path})`;
  try {
    const stat = fs.statSync(path);
    if (stat.isDirectory()) return refused(`${named} is a directory`);
    if (!stat.isFile()) return refused(`${named} is not a program`);
    fs.accessSync(path, fs.constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT" || code === "ENOTDIR") return refused(`the command ${named} was not found`);
    if (code === "EACCES") return refused(`${named} is not executable for this user; \`chmod +x ${path}\` makes it so`);
    return refused(`${named} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
  const problem = judgeContent(path);
  return problem === null ? { kind: "found", path } : refused(`${named} ${problem}`);
}

/** A shell would take a text without "#!" for a script of its own; nobody declared that. */
function judgeContent(path: string): string | null {
  const head = readHead(path);
  // Executable and not readable: the kernel will tell.
  if (head === null) return null;
  if (head.length === 0) return "is empty";
  if (head.subarray(0, 2).toString("latin1") !== "#!")
    return head.includes(0) ? null : 'is a script without an interpreter: its first line must be such as "#!/bin/sh"';
  const line = head.subarray(2).toString("utf8").split("\n", 1)[0] ?? "";
  if (line.endsWith("\r")) return "has Windows line ends, so that its interpreter cannot be found";
  const interpreter = line.trim().split(/\s+/, 1)[0] ?? "";
  if (interpreter === "") return 'names no interpreter after "#!"';
  return interpreter.startsWith("/") && !exists(interpreter)
    ? `needs the interpreter ${interpreter}, which is not there`
    : null;
}

const headBytes = 512;

function readHead(path: string): Buffer | null {
  let fd: number;
  try {
    fd = fs.openSync(path, "r");
  } catch {
    return null;
  }
  try {
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, fs.readSync(fd, head, 0, headBytes, 0));
  } finally {
    fs.closeSync(fd);
  }
}

function isDirectory(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function exists(path: string): boolean {
  return fs.existsSync(path);
}

function refused(detail: string): Program {
  return { kind: "refused", detail };
}
