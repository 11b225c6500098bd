/** The processes of the cluster: each has a name, remembers its command, and can be paused, resumed, stopped and started again by anybody. */
import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt, until } from "./run.ts";

interface Recorded {
  readonly command: readonly [string, ...string[]];
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: a number that is used again begins at another time. */
  readonly startTime: string;
}

const runDir = (dir: string): string => join(dir, "run");
const recordPath = (dir: string, name: string): string => join(runDir(dir), `${name}.json`);

/** Starts a part, in the network namespace if one is named. Its output goes to `log/NAME.log`. */
export function startPart(
  dir: string,
  name: string,
  command: readonly [string, ...string[]],
  networkNamespace?: string,
): void {
  const entered: readonly [string, ...string[]] =
    networkNamespace === undefined ? command : ["nsenter", `--net=/run/netns/${networkNamespace}`, ...command];
  launch(dir, name, entered);
}

/** Starts a part again that was stopped, with the command that it had. */
export function restartPart(dir: string, name: string): void {
  launch(dir, name, recorded(dir, name).command);
}

function launch(dir: string, name: string, command: readonly [string, ...string[]]): void {
  for (const folder of [runDir(dir), join(dir, "log")]) mkdirSync(folder, { recursive: true });
  const log = openSync(join(dir, "log", `${name}.log`), "a");
  const [program, ...args] = command;
  // Nothing of the caller's environment: what outlives a test run must not look like its own.
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir };
  const child = spawn(program, args, { cwd: dir, env, detached: true, stdio: ["ignore", log, log] });
  closeSync(log);
  child.unref();
  if (child.pid === undefined) throw new Error(`${name} cannot be started: ${program}`);
  const record: Recorded = { command, pid: child.pid, startTime: startTime(child.pid) ?? "" };
  writeFileSync(recordPath(dir, name), JSON.stringify(record));
}

/** Sends a signal to a part, if it is the very process that was started. False: it does not live. */
export function signalPart(dir: string, name: string, signal: NodeJS.Signals): boolean {
  if (!partLives(dir, name)) return false;
  process.kill(recorded(dir, name).pid, signal);
  return true;
}

/** Ends a part, gracefully at first, and waits until it is gone. */
export async function stopPart(dir: string, name: string, graceMs = 10_000): Promise<void> {
  signalPart(dir, name, "SIGCONT");
  if (!signalPart(dir, name, "SIGTERM")) return;
  try {
    await until(`${name} ends`, () => !partLives(dir, name), graceMs);
  } catch {
    signalPart(dir, name, "SIGKILL");
    await until(`${name} is killed`, () => !partLives(dir, name));
  }
}

export function partLives(dir: string, name: string): boolean {
  if (!existsSync(recordPath(dir, name))) return false;
  const { pid, startTime: began } = recorded(dir, name);
  return startTime(pid) === began;
}

/** The program that a part was started with. */
export function programOf(dir: string, name: string): string {
  return recorded(dir, name).command[0];
}

export function partNames(dir: string): string[] {
  if (!existsSync(runDir(dir))) return [];
  return readdirSync(runDir(dir)).flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -".json".length)] : []));
}

/** Ends whatever runs in a containerd of ours: sandboxes outlive it and the kubelet. */
export async function endContainers(socket: string): Promise<void> {
  if (!existsSync(socket)) return;
  const list = (): string[] =>
    spawnSync("ctr", ["-a", socket, "-n", "k8s.io", "task", "ls", "-q"], { encoding: "utf8", timeout: 10_000 })
      .stdout?.split("\n")
      .filter((id) => id !== "") ?? [];
  const each = (...verb: readonly string[]): void => {
    for (const id of list()) attempt("ctr", "-a", socket, "-n", "k8s.io", "task", ...verb, id);
  };
  each("kill", "-s", "KILL");
  await new Promise((resolve) => setTimeout(resolve, 300));
  each("rm", "-f");
}

function recorded(dir: string, name: string): Recorded {
  return JSON.parse(readFileSync(recordPath(dir, name), "utf8")) as Recorded;
}

/** Null when there is no such process, or only what its parent has not collected yet. */
function startTime(pid: number): string | null {
  try {
    const [state = "Z", ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return state === "Z" ? null : (fields[18] ?? null);
  } catch {
    return null;
  }
}
