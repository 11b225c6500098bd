// Where a run takes place: a temporary folder with the built command in it, of which nothing remains, whatever happens.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleCommand } from "../scripts/bundle.ts";
import type { CommandLine } from "./run-process.ts";
import { run } from "./run-process.ts";

export interface Place {
  /** The built command, as it is published. */
  readonly moorage: CommandLine;
  /** The built supervisor. */
  readonly supervisor: CommandLine;
  /** `concurrent-starts.ts`, bundled like the command. */
  readonly concurrentStarts: CommandLine;
  /** The least that a Node can do. */
  readonly bareBoot: CommandLine;
  readonly env: Readonly<Record<string, string>>;
  /** How long a row watches that watches for long. */
  readonly watchMinutes: number;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** A folder that was not there before. */
  folder(): string;
  /** Ends all agents of a state directory. */
  endAgents(stateDir: string): Promise<void>;
  /** Ends everything that runs from here, and removes the folder. */
  close(): Promise<void>;
}

const root = fileURLToPath(new URL("..", import.meta.url));

/** Builds the command with the very code that `npm run build` has, beside whatever that is doing at the moment. */
export async function openPlace(signal: AbortSignal, watchMinutes: number): Promise<Place> {
  // About as long as a home folder's path: what a supervisor holds depends on how long its paths are.
  const directory = mkdtempSync(join(tmpdir(), "mb-"));
  let folders = 0;
  const folder = (): string => {
    folders += 1;
    const made = join(directory, String(folders));
    mkdirSync(made, { mode: 0o700 });
    return made;
  };
  try {
    const built = join(directory, "moorage", "dist");
    mkdirSync(built, { recursive: true });
    await bundleCommand(root, built);
    cpSync(join(root, "packages/cli/bin/published.mjs"), join(built, "moorage.js"));
    cpSync(join(root, "packages/cli/package.json"), join(directory, "moorage", "package.json"));
    const starts = join(built, "concurrent-starts.js");
    await build({
      absWorkingDir: root,
      entryPoints: ["bench/concurrent-starts.ts"],
      outfile: starts,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node24",
    });
    const moorage: CommandLine = [process.execPath, join(built, "moorage.js")];
    return {
      moorage,
      supervisor: [process.execPath, join(built, "supervisor.cjs")],
      concurrentStarts: [process.execPath, starts],
      bareBoot: [process.execPath, "-e", "0"],
      env: environment(directory),
      watchMinutes,
      signal,
      folder,
      endAgents: async (stateDir) => {
        await run([...moorage, "stop", "--all", "--now", "--quiet", "--state", stateDir], {
          env: environment(directory),
          signal,
        });
        rmSync(stateDir, { recursive: true, force: true });
      },
      close: () => close(directory),
    };
  } catch (error) {
    await close(directory);
    throw error;
  }
}

/** Nothing of the caller's but PATH: its NODE_OPTIONS, its caches and its state directory would count in one side alone. */
function environment(directory: string): Record<string, string> {
  const path = [dirname(process.execPath), process.env["PATH"] ?? "/usr/bin:/bin"].join(":");
  return { PATH: path, HOME: directory, XDG_CACHE_HOME: join(directory, ".cache"), TMPDIR: tmpdir(), LANG: "C.UTF-8" };
}

/** Puts a command line onto two cores, which is what the limits of many at once are about. */
export function onTwoCores(command: CommandLine): CommandLine {
  return availableParallelism() > 2 ? ["taskset", "-c", "0,1", ...command] : command;
}

export function fleetNames(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `agent-${String(at + 1).padStart(3, "0")}`);
}

/** A declaration of many agents that sleep, in a folder of its own, with a catalog of one prompt or without any; its path. */
export function sleepingFleet(place: Place, names: readonly string[], catalog: "catalog" | "none" = "none"): string {
  const folder = place.folder();
  const file = join(folder, "agents.yaml");
  if (catalog === "catalog") {
    mkdirSync(join(folder, "catalog"));
    writeFileSync(join(folder, "catalog/system.md"), "be kind\n");
  }
  const fleet = catalog === "none" ? "" : "fleet: sleepers, catalog: ./catalog, ";
  const documents = names.map((name) =>
    [
      "apiVersion: moorage.dev/v1alpha1",
      "kind: Agent",
      `metadata: { name: ${name} }`,
      `spec: { ${fleet}run: { command: [sleep, "100000"] } }`,
    ].join("\n"),
  );
  writeFileSync(file, `${documents.join("\n---\n")}\n`);
  return file;
}

const graceMs = 3_000;

async function close(directory: string): Promise<void> {
  // Supervisors end their agents on TERM; whatever does not is ended itself.
  const until = performance.now() + graceMs;
  for (const { pid, supervisor } of processesOf(directory)) if (supervisor) signalProcess(pid, "SIGTERM");
  while (processesOf(directory).length > 0 && performance.now() < until) await sleep(50);
  for (let left = processesOf(directory); left.length > 0; left = processesOf(directory)) {
    for (const { pid } of left) signalProcess(pid, "SIGKILL");
    await sleep(50);
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Who names the folder, which nobody else knows, in its command line or its environment; a zombie has neither. */
function processesOf(directory: string): { readonly pid: number; readonly supervisor: boolean }[] {
  const pids = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  return pids
    .filter((pid) => pid !== process.pid)
    .flatMap((pid) => {
      const command = textOf(`/proc/${pid}/cmdline`);
      const ours = command.includes(directory) || textOf(`/proc/${pid}/environ`).includes(directory);
      return ours ? [{ pid, supervisor: command.includes("supervisor.cjs") }] : [];
    });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
