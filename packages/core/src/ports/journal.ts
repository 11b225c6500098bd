/** The append-only record of what was seen, decided and done: the only way in which a loop tells the outside anything. */

export type JournalStep = "read" | "decide" | "create" | "delete" | "wait" | "collect" | "warn" | "update" | "end";

export interface JournalEntry {
  readonly step: JournalStep;
  readonly agent: string;
  readonly identity: string;
  readonly attempt: string | null;
  /** What was seen, decided or done, in words that a person reads. Never a secret value. */
  readonly message: string;
  /** Stable code of the condition, action or outcome. */
  readonly code: string;
  /** The rule of the decision table, where one led here. */
  readonly rule: number | null;
  /** The object that it is about. */
  readonly name: string | null;
}

export interface Journal {
  append(entry: JournalEntry): void;
}
