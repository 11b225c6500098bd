/** What a test sees of processes: which of them live, which belong to a folder, and how they are ended. Linux' /proc, else `ps`. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { until } from "./until.ts";

export interface Seen {
  readonly pid: number;
  readonly command: string;
}

const linux = process.platform === "linux";

/** Lives, and is no zombie. */
export function alive(pid: number): boolean {
  const state = stateOf(pid);
  return state !== null && state !== "Z" && state !== "X";
}

/** The letter that ps shows, such as `T` for a stopped one; null when there is none with this number. */
export function stateOf(pid: number): string | null {
  if (!linux)
    return (
      attempt(
        () =>
          execFileSync("ps", ["-o", "state=", "-p", String(pid)])
            .toString()
            .trim()[0],
      ) ?? null
    );
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  return stat === null ? null : (stat.slice(stat.lastIndexOf(")") + 2)[0] ?? null);
}

/** Living processes that name one of the folders in their arguments, environment or working directory. */
export function processesBelow(folders: readonly string[]): Seen[] {
  const pids = linux
    ? readdirSync("/proc").filter((name) => /^\d+$/.test(name))
    : execFileSync("ps", ["-axo", "pid="]).toString().trim().split(/\s+/);
  return pids.map(Number).flatMap((pid) => {
    if (pid === process.pid) return [];
    const words = commandOf(pid);
    const said = `${words}\0${read(`/proc/${pid}/environ`)}\0${attempt(() => readlinkSync(`/proc/${pid}/cwd`)) ?? ""}`;
    return folders.some((folder) => said.includes(folder)) && alive(pid) ? [{ pid, command: words }] : [];
  });
}

/** The agents' processes below a folder: those that carry the mark of an attempt. A supervisor's says that it is of none. */
export function agentsBelow(folder: string): Seen[] {
  return processesBelow([folder]).filter(({ pid }) => {
    const attempt = environmentOf(pid)["MOORAGE_ATTEMPT"];
    return attempt !== undefined && attempt !== "supervisor";
  });
}

/** The supervisors below a folder. */
export function supervisorsBelow(folder: string): Seen[] {
  return processesBelow([folder]).filter(({ command }) => /supervisor\.(ts|js)/.test(command));
}

export function commandOf(pid: number): string {
  if (!linux)
    return (
      attempt(() =>
        execFileSync("ps", ["-o", "command=", "-p", String(pid)])
          .toString()
          .trim(),
      ) ?? ""
    );
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
}

export function environmentOf(pid: number): Record<string, string> {
  const entries = read(`/proc/${pid}/environ`)
    .split("\0")
    .filter((entry) => entry.includes("="));
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
}

/** False when it was gone already. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

/** Resolves when it is dead; fails the test after the time. */
export async function untilDead(pid: number, ms = 10_000): Promise<void> {
  await until(`process ${pid} is dead`, () => !alive(pid), ms);
}

/** Kills all that belongs to the folders, until nothing does. */
export async function endProcessesBelow(folders: readonly string[]): Promise<void> {
  await until(`nothing lives below ${folders[0]}`, () => {
    const left = processesBelow(folders);
    for (const { pid } of left) signal(pid, "SIGKILL");
    return left.length === 0;
  });
}

function read(path: string): string {
  return attempt(() => readFileSync(path, "utf8")) ?? "";
}

function attempt<T>(body: () => T): T | null {
  try {
    return body();
  } catch {
    return null;
  }
}
