/** The journal of a state directory: one JSON line a step, a file a day, appended by every caller and supervisor. */
import { closeSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock, Journal, JournalEntry } from "@moorage/core";
import { makeDirectory } from "./make-directory.ts";
import { stateFault } from "./sqlite-fault.ts";

export interface JournalLine extends JournalEntry {
  /** ISO 8601, for people. */
  readonly at: string;
  readonly pid: number;
}

export interface JournalFollow {
  /** The agent's declared name; absent: all. */
  readonly agent?: string;
  /** Only the last so many of what is there already. Default: all. */
  readonly last?: number;
}

export interface LocalJournal extends Journal {
  /** Never throws: a journal that cannot be written stops nothing. */
  append(entry: JournalEntry): void;
  /** What is there, oldest first. */
  read(choice?: JournalFollow): readonly JournalLine[];
  /** What is there and then what comes, until the signal aborts. */
  follow(choice: JournalFollow, signal: AbortSignal): AsyncIterable<JournalLine>;
  close(): void;
}

const daysKept = 30;
const pollMs = 250;

/** `writable`: false appends nothing, so that who only looks leaves no trace. */
export function openJournal(
  stateDir: string,
  options: { readonly clock: Clock; readonly writable: boolean },
): LocalJournal {
  const directory = join(stateDir, "journal");
  let open: { readonly path: string; readonly descriptor: number } | null = null;

  function append(entry: JournalEntry): void {
    if (!options.writable) return;
    const at = new Date().toISOString();
    const line: JournalLine = { at, pid: process.pid, ...entry };
    const today = join(directory, `${at.slice(0, 10)}.jsonl`);
    try {
      if (open?.path !== today) open = begin(today);
      // One write at the end of the file: lines of many processes do not mix.
      writeSync(open.descriptor, `${JSON.stringify(line)}\n`);
    } catch {
      // A full disk takes the journal's lines and nothing else.
      close();
    }
  }

  function close(): void {
    if (open !== null) closeSync(open.descriptor);
    open = null;
  }

  function begin(today: string): { readonly path: string; readonly descriptor: number } {
    close();
    makeDirectory(directory);
    if (statSync(today, { throwIfNoEntry: false }) === undefined)
      for (const old of journalFiles(directory).slice(0, -(daysKept - 1))) rmSync(old, { force: true });
    return { path: today, descriptor: openSync(today, "a", 0o600) };
  }

  function read(choice: JournalFollow = {}): JournalLine[] {
    const lines = journalFiles(directory).flatMap((path) => parseLines(readText(path), choice.agent));
    return choice.last === undefined ? lines : lines.slice(lines.length - Math.min(choice.last, lines.length));
  }

  async function* follow(choice: JournalFollow, signal: AbortSignal): AsyncGenerator<JournalLine> {
    const seen = new Map<string, number>();
    const begun = readNew(directory, seen, choice.agent);
    yield* choice.last === undefined ? begun : begun.slice(begun.length - Math.min(choice.last, begun.length));
    while (!signal.aborted) {
      await options.clock.sleep(pollMs, signal);
      yield* readNew(directory, seen, choice.agent);
    }
  }

  return { append, read, follow, close };
}

/** Whole lines that came since the offsets in `seen`, which move on. */
function readNew(directory: string, seen: Map<string, number>, agent: string | undefined): JournalLine[] {
  return journalFiles(directory).flatMap((path) => {
    const from = seen.get(path) ?? 0;
    const fresh = readFrom(path, from);
    const whole = fresh.subarray(0, fresh.lastIndexOf(0x0a) + 1);
    seen.set(path, from + whole.length);
    return parseLines(whole.toString("utf8"), agent);
  });
}

function readFrom(path: string, from: number): Buffer {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= from) return Buffer.alloc(0);
  const descriptor = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(size - from);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from));
  } finally {
    closeSync(descriptor);
  }
}

function readText(path: string): string {
  try {
    // Whoever reads a pipe waits for a writer.
    if (!statSync(path).isFile()) return "";
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** A line that a full disk cut short is passed over. */
function parseLines(text: string, agent: string | undefined): JournalLine[] {
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    try {
      const parsed = JSON.parse(line) as JournalLine;
      return agent === undefined || parsed.agent === agent ? [parsed] : [];
    } catch {
      return [];
    }
  });
}

function journalFiles(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => join(directory, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw stateFault(error, dirname(directory));
  }
}
