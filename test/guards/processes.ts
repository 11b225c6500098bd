// The whole run has a temporary directory of its own; at its end no file may be left there, and no process may live that knows of it.
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const patienceMs = 5_000;
let directory: string | undefined;

/** Runs once for each project of a run; the first makes the directory, and short: sockets live below it. */
export function setup(): (() => Promise<void>) | undefined {
  if (directory !== undefined) return undefined;
  const outside = process.env.TMPDIR;
  directory = realpathSync(mkdtempSync(join(tmpdir(), "mt-")));
  process.env.TMPDIR = directory;
  const mine = directory;
  return async () => {
    if (outside === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = outside;
    directory = undefined;
    const processes = await processesLeft(mine);
    for (const { pid } of processes) process.kill(pid, "SIGKILL");
    // Tools such as npm and tsc keep their compiled code in the temporary directory, for all who come after.
    const files = readdirSync(mine).filter((name) => name !== "node-compile-cache");
    rmSync(mine, { recursive: true, force: true });
    const told = [...processes.map(({ pid, command }) => `process ${pid} (${command})`), ...files];
    if (told.length > 0) throw new Error(`The tests leave behind: ${told.join(", ")}`);
  };
}

interface Left {
  readonly pid: number;
  readonly command: string;
}

async function processesLeft(below: string): Promise<Left[]> {
  const deadline = performance.now() + patienceMs;
  let left = processesOf(below);
  while (left.length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    left = processesOf(below);
  }
  return left;
}

/** Only where there is a /proc: elsewhere the files alone are looked at. */
function processesOf(below: string): Left[] {
  const pids = readable(() => readdirSync("/proc"), [])
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number);
  return pids
    .filter((pid) => pid !== process.pid && !isWorker(pid))
    .map((pid) => ({
      pid,
      command: readable(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "")
        .replaceAll("\0", " ")
        .trim(),
    }))
    .filter(({ pid, command }) => {
      const environment = readable(() => readFileSync(`/proc/${pid}/environ`, "utf8"), "");
      const cwd = readable(() => readlinkSync(`/proc/${pid}/cwd`), "");
      return command !== "" && (command.includes(below) || environment.includes(below) || cwd.startsWith(below));
    });
}

/** The test runner's own children inherit the directory too, and end after this. */
function isWorker(pid: number): boolean {
  const status = readable(() => readFileSync(`/proc/${pid}/stat`, "utf8"), "");
  const afterName = status.slice(status.lastIndexOf(")") + 2).split(" ");
  return Number(afterName[1]) === process.pid;
}

function readable<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
