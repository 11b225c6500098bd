/** The last lines that an agent wrote, for reports. */
import type { Session } from "./session.ts";

/** At most `count` lines of the newest run; none when nothing can be read. Not yet redacted: printing does that. */
export async function logTail({ scope }: Session, instance: string, count = 10): Promise<string[]> {
  const lines: string[] = [];
  try {
    const choice = { previous: false, present: true, tail: count, follow: null };
    for await (const event of scope.output(instance, choice) ?? [])
      if (event.kind === "line") lines.push(harmless(lineText(event.bytes)));
  } catch {
    // The report is about the agent's end: that its output cannot be read must not hide it.
  }
  return lines;
}

/** Quoted in a report, a line moves no cursor and clears no screen: escape sequences, control characters and what turns text around are left out. */
export function harmless(text: string): string {
  return text.replace(/\p{Cc}\[[0-9;?]*[ -/]*[@-~]/gu, "").replace(/[^\P{Cc}\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}

/** The text of a line; bytes that are no UTF-8 are shown as such. */
export function lineText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
