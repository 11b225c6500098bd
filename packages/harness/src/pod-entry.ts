/** The harness as the entrypoint of an image: supervises the one agent of its container, and ends with it. */
import fs from "node:fs";
import os from "node:os";
import { resolve } from "node:path";
import type { EndingNote } from "@moorage/core";
import { writeEndingNote } from "@moorage/core";
import { awakeClock } from "./awake-clock.ts";
import { containerTable } from "./container-table.ts";
import type { HealthSource } from "./health.ts";
import { closeInheritedDescriptors } from "./inherited-descriptors.ts";
import { makePodFolder } from "./pod-folder.ts";
import { writeLine } from "./pod-lines.ts";
import { exitCodeOf, podRecord, wrongSettings } from "./pod-record.ts";
import type { Mistake, PodSettings } from "./pod-settings.ts";
import { readPodSettings } from "./pod-settings.ts";
import { machineIdentity } from "./process/machine.ts";
import { killProcess, processTable } from "./process/system-table.ts";
import { straightLaunch } from "./straight-launch.ts";
import { supervise } from "./supervise.ts";

/** Where a kubelet takes the last words of a container from, unless its pod says otherwise. */
const notePath = "/dev/termination-log";

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort());
// No terminal is ever its own.
process.on("SIGHUP", () => undefined);

closeInheritedDescriptors();
// No `await` at the top: its published form is CommonJS.
void main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    writeLine(`the harness failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(70);
  },
);

async function main(): Promise<number> {
  const reading = readPodSettings(process.env);
  if (reading.kind === "wrong") return refuse(reading.mistakes);
  const { settings } = reading;
  // The workspace comes last: it may be on a disk of the network, which takes no sockets.
  const folder = makePodFolder([os.tmpdir(), "/tmp", settings.workspace], process.getuid?.() ?? 0);
  const mistakes = missingFolders(settings);
  if (folder.kind === "none")
    mistakes.push({
      variable: "MOORAGE_WORKSPACE",
      what: `has no place for the harness's socket, nor has any other folder (${folder.detail}): mount an emptyDir at /tmp`,
    });
  if (folder.kind === "none" || mistakes.length > 0) return refuse(mistakes);
  const record = podRecord({ agent: settings.agent, write: writeLine, leave });
  const [command, ...args] = settings.command;
  const directory = settings.directory ?? process.cwd();
  const supervision = supervise(
    {
      instance: settings.instance,
      attempt: settings.attempt,
      machine: machineIdentity(),
      command,
      args,
      directory,
      env: settings.env,
      drainMs: settings.drainMs,
      graceMs: settings.graceMs,
      idleMs: settings.idleMs,
      health: healthIn(settings.health, directory),
      catalogDir: settings.catalog,
      socketPath: folder.socketPath,
      factsPath: folder.factsPath,
    },
    {
      record,
      // The kubelet's own grace goes on whether anybody runs here or not.
      clock: awakeClock({ slackMs: Number.POSITIVE_INFINITY }),
      table: containerTable(processTable()),
      kill: killProcess,
      launch: straightLaunch,
      wallTime: Date.now,
      tell: record.tell,
    },
  );
  const end = (): void => supervision.stop(null);
  stop.signal.addEventListener("abort", end);
  if (stop.signal.aborted) end();
  const ended = await supervision.done;
  return ended.kind === "ended" ? exitCodeOf(ended.ending, os.constants.signals) : 1;
}

/** A file is named as the agent names it. */
function healthIn(health: HealthSource, directory: string): HealthSource {
  return health.kind === "file" ? { ...health, path: resolve(directory, health.path) } : health;
}

function missingFolders({ directory, catalog }: PodSettings): Mistake[] {
  const named = Object.entries({ MOORAGE_DIRECTORY: directory, MOORAGE_CATALOG: catalog });
  return named
    .filter(([, path]) => path !== null && !isDirectory(path))
    .map(([variable, path]) => ({ variable, what: `names a folder that the image does not have: ${path}` }));
}

function isDirectory(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function refuse(mistakes: readonly Mistake[]): number {
  for (const { variable, what } of mistakes) writeLine(`${variable} ${what}`);
  writeLine("nothing was started");
  const wrong = [...new Set(mistakes.map(({ variable }) => variable))];
  leave({ reason: "notStarted", lostTurns: 0, killed: false, wrong });
  return wrongSettings;
}

/** Only where the platform has made the file. */
function leave(note: EndingNote): void {
  try {
    const fd = fs.openSync(notePath, fs.constants.O_WRONLY | fs.constants.O_TRUNC);
    fs.writeSync(fd, writeEndingNote(note));
    fs.closeSync(fd);
  } catch {
    // Somebody's plain container: the log has it all.
  }
}
