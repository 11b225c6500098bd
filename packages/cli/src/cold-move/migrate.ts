/** The migration of a cold move: a command that runs once, while the whole fleet is stopped, and never twice at the same time. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import type { Clock, ColdMove } from "@moorage/core";
import { CliError } from "../errors/cli-error.ts";
import type { Host } from "../host.ts";
import type { Output } from "../output/output.ts";
import type { MovePlace } from "./move-folder.ts";

export interface Migration {
  readonly move: Pick<ColdMove, "fleet" | "from" | "to">;
  readonly command: string;
  /** The declaration's folder. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly place: MovePlace;
}

/** As much of what it writes last as a notice has room for, in characters. */
const endKept = 4_000;
const lookMs = 100;

/**
 * Resolves once it has ended well. Throws, with the end of its output, when it failed. Nothing here ends it: what moves data
 * is not to be cut off in the middle. It has a session of its own, so that no Ctrl-C reaches it, and writes to a file, so
 * that it goes on when whoever started it is killed.
 */
export async function migrate(
  migration: Migration,
  clock: Clock,
  { output, interrupt }: Pick<Host, "output" | "interrupt">,
): Promise<void> {
  const { command, place } = migration;
  await untilNobodyMigrates(place, clock, output);
  const tellWait = (): void => output.warn(waitsForIt);
  interrupt.addEventListener("abort", tellWait, { once: true });
  const written = openSync(place.output, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, 0o600);
  try {
    const ended = endOf(begin(migration, written));
    const end = await followed(written, ended, clock, output);
    const why = await ended;
    if (why === null) return;
    throw new CliError({
      code: "migrationFailed",
      message: `\`${command}\`: ${why}${end === "" ? "" : `; the end of its output:\n${end}`}`,
      hint: "put right what it says, then go on, or go back",
    });
  } finally {
    interrupt.removeEventListener("abort", tellWait);
    closeSync(written);
  }
}

const waitsForIt =
  "the migration is not cut off in the middle: waiting for its end; another Ctrl-C leaves it behind, and it goes on alone";

function begin({ command, directory, env, place, move }: Migration, written: number): ChildProcess {
  // For reading and writing, so that it opens whether anybody listens or not.
  const alive = openSync(place.alive, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    return spawn("/bin/sh", ["-c", command], {
      cwd: directory,
      env: {
        ...env,
        MOORAGE_FLEET: move.fleet,
        MOORAGE_FROM: JSON.stringify(move.from),
        MOORAGE_TO: JSON.stringify(move.to),
      },
      detached: true,
      // Every process of it inherits the last: the kernel tells by it whether one still lives, whoever started it.
      stdio: ["ignore", written, written, alive],
    });
  } finally {
    closeSync(alive);
  }
}

/** Null: it ended well. */
function endOf(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    child.once("error", (error) => {
      resolve(`it could not be started: ${error.message}`);
    });
    child.once("exit", (code, signal) => {
      resolve(code === 0 ? null : signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
    });
  });
}

/** Shows what it writes, on standard error, as it comes; the end of it. */
async function followed(written: number, ended: Promise<unknown>, clock: Clock, output: Output): Promise<string> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const decoder = new TextDecoder();
  const chunk = Buffer.alloc(65_536);
  let position = 0;
  let end = "";
  for (;;) {
    // Looked at first: what was written before it ended is there then.
    const last = over;
    for (let read = -1; read !== 0; position += read) {
      read = readSync(written, chunk, 0, chunk.length, position);
      if (read === 0) break;
      const text = decoder.decode(chunk.subarray(0, read), { stream: true });
      output.error(text.replace(/\n$/, ""));
      end = (end + text).slice(-endKept);
    }
    if (last) return end.trim();
    await Promise.race([ended, clock.sleep(lookMs)]);
  }
}

/** One whose executor was killed may still be at work. */
async function untilNobodyMigrates({ alive }: MovePlace, clock: Clock, output: Output): Promise<void> {
  makeFifo(alive);
  let told = false;
  while (isHeld(alive)) {
    if (!told) output.progress("an earlier run of the migration has not ended yet: waiting for it");
    told = true;
    await clock.sleep(lookMs);
  }
}

function makeFifo(path: string): void {
  const made = spawnSync("mkfifo", ["-m", "600", path], { stdio: "ignore" });
  // Else it is there already, or whoever opens it is told why not.
  if (made.error !== undefined) throw made.error;
}

/** Whether any process has it open for writing: the kernel tells the reader. */
function isHeld(path: string): boolean {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return readSync(descriptor, Buffer.alloc(1)) !== 0;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return true;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
