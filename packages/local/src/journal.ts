/** The journal of a state directory: one JSON line a step, a file a day, appended by every caller and supervisor. */
import type { Journal, JournalEntry } from "@moorage/core";

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
}
