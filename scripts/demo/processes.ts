/** What really runs, asked of the operating system and not of Moorage. */
import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Whether a process runs. One that has ended and that nobody has collected yet is dead, although it still has a number. */
export async function alive(pid: number): Promise<boolean> {
  const state = process.platform === "linux" ? await stateInProc(pid) : await stateByPs(pid);
  return state !== "" && !state.startsWith("Z");
}

/** One letter, or empty when there is no such process. The name before it may hold anything. */
async function stateInProc(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat
    .slice(stat.lastIndexOf(")") + 1)
    .trim()
    .slice(0, 1);
}

async function stateByPs(pid: number): Promise<string> {
  const { stdout } = await run("ps", ["-o", "stat=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return stdout.trim();
}

/** The processes whose working directory is this folder: of an agent's, the agent. */
export async function processesIn(folder: string): Promise<number[]> {
  return process.platform === "linux" ? inProc(folder) : byLsof(folder);
}

async function inProc(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const cwd = await readlink(`/proc/${name}/cwd`).catch(() => "");
    if (cwd === folder && (await alive(Number(name)))) found.push(Number(name));
  }
  return found;
}

async function byLsof(folder: string): Promise<number[]> {
  const { stdout } = await run("lsof", ["-a", "-d", "cwd", "-Fpn"]).catch((fault: { stdout?: string }) => ({
    stdout: fault.stdout ?? "",
  }));
  const found: number[] = [];
  let pid = 0;
  for (const line of stdout.split("\n")) {
    if (line.startsWith("p")) pid = Number(line.slice(1));
    if (line === `n${folder}`) found.push(pid);
  }
  return found;
}
