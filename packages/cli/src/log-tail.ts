/** The last lines that an agent wrote, for reports. */
import { outputFolders, readLog } from "@moorage/local";
import type { Session } from "./session.ts";

/** At most `count` lines of the newest run; none when nothing can be read. Not yet redacted: printing does that. */
export async function logTail(session: Session, instance: string, count = 10): Promise<string[]> {
  const [directory] = outputFolders(session.scope.stateDir, instance);
  if (directory === undefined) return [];
  const lines: string[] = [];
  try {
    for await (const event of readLog({ directory, tail: count }))
      if (event.kind === "line") lines.push(lineText(event.bytes));
  } catch {
    // The report is about the agent's end: that its output cannot be read must not hide it.
  }
  return lines;
}

/** The text of a line; bytes that are no UTF-8 are shown as such. */
export function lineText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
