/** Text of somebody else's, made fit to be quoted in a report or a terminal. */

/** Moves no cursor, clears no screen and turns no text around: escape sequences, control characters but the tab, and marks of direction are left out. */
export function harmless(text: string): string {
  return text
    .replace(/(?:\p{Cc}\[|\u009b)[0-9;?]*[ -/]*[@-~]/gu, "")
    .replace(/[^\P{Cc}\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}
