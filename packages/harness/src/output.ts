/** The agent's output: two FIFOs, so that the kernel itself tells whether anybody still holds them, read into the log. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import { Socket } from "node:net";
import type { Clock } from "@moorage/core";
import type { LogWriter } from "./logs/log-writer.ts";

type Stream = "stdout" | "stderr";

export interface OutputPlaces {
  readonly stdout: string;
  readonly stderr: string;
}

export interface Output {
  /** For the child alone; `release` closes them here. */
  readonly stdout: number;
  readonly stderr: number;
  /** After the spawn, or when there is none: from now on the end of all writers is seen. */
  release(): void;
  /** The first of what came on stderr, as text. */
  stderrHead(): string;
  /** Resolves when nobody can write any more and everything is in the log, or after that time. */
  ended(withinMs: number): Promise<void>;
  close(): void;
}

const headAtMost = 4_096;

/** Makes the FIFOs (0600) where they are missing. Rejects when they cannot be made or opened. */
export async function openOutput(places: OutputPlaces, path: string, log: LogWriter, clock: Clock): Promise<Output> {
  await makeFifos(places, path);
  const head: Buffer[] = [];
  let headBytes = 0;
  const opened: { reader: Socket; writer: number; done: Promise<void> }[] = [];

  function open(stream: Stream): void {
    // A reader first, without waiting for a writer. The agent's own end reads as well: should this supervisor be killed, there
    // still is a reader, and what the agent writes ends in a full pipe and not in a SIGPIPE that would kill it in its turn.
    const fd = fs.openSync(places[stream], fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const writer = fs.openSync(places[stream], fs.constants.O_RDWR);
    const reader = new Socket({ fd, readable: true, writable: false });
    reader.on("data", (bytes: Buffer) => {
      log.write(stream, bytes);
      if (stream === "stderr" && headBytes < headAtMost) {
        head.push(bytes.subarray(0, headAtMost - headBytes));
        headBytes += bytes.length;
      }
    });
    reader.on("error", () => undefined);
    const done = new Promise<void>((resolve) => {
      reader.once("close", () => resolve());
    });
    opened.push({ reader, writer, done });
  }

  open("stdout");
  open("stderr");
  let released = false;
  function release(): void {
    if (released) return;
    released = true;
    for (const { writer } of opened) fs.closeSync(writer);
  }
  return {
    stdout: opened[0]?.writer ?? -1,
    stderr: opened[1]?.writer ?? -1,
    release,
    stderrHead: () => Buffer.concat(head).toString("utf8"),
    async ended(withinMs) {
      const over = new AbortController();
      const all = Promise.all(opened.map(({ done }) => done)).then(() => over.abort());
      await Promise.race([all, clock.sleep(withinMs, over.signal)]);
      over.abort();
    },
    close() {
      release();
      for (const { reader } of opened) reader.destroy();
    },
  };
}

/**
 * Makes the FIFOs that are missing (0600); who boots a supervisor may do so meanwhile, and both at once is no harm. Node has
 * no call for it: `path` is where the command is looked for.
 */
export async function makeFifos(places: OutputPlaces, path: string): Promise<void> {
  const missing = (): string[] => [places.stdout, places.stderr].filter((place) => !isFifo(place));
  const wanted = missing();
  if (wanted.length === 0) return;
  const env = { PATH: `${path}:/usr/bin:/bin` };
  await new Promise<void>((resolve, reject) => {
    execFile("mkfifo", ["-m", "600", ...wanted], { env }, (error) => {
      if (error === null || missing().length === 0) resolve();
      else reject(new Error(`the FIFOs cannot be made: ${error.message}`, { cause: error }));
    });
  });
}

function isFifo(place: string): boolean {
  return fs.lstatSync(place, { throwIfNoEntry: false })?.isFIFO() === true;
}
