/** The last lines that an agent wrote, for reports. */
import { harmless } from "@moorage/core";
import type { Session } from "./session.ts";

/** How far back the line that begins an error may lie, and how many lines are shown: from there, or else the last ones. */
const looked = 40;
const shownOfError = 12;
const shownOtherwise = 10;

/** The lines of the newest run that tell most, so many at most; none when nothing can be read. Not yet redacted: printing does that. */
export async function logTail({ scope }: Session, instance: string, atMost: number = shownOfError): Promise<string[]> {
  const lines: string[] = [];
  try {
    const choice = { previous: false, present: true, tail: looked, follow: null };
    for await (const event of scope.output(instance, choice) ?? [])
      if (event.kind === "line") lines.push(harmless(lineText(event.bytes)));
  } catch {
    // The report is about the agent's end: that its output cannot be read must not hide it.
  }
  return telling(lines, atMost);
}

const beginsError = /^(?:[\w.]*(?:Error|Exception)\b|Uncaught\b|panic\b|Traceback\b)/;

/** From the last line that begins an error on: a stack trace must not push out what it is about. */
export function telling(lines: readonly string[], atMost: number = shownOfError): string[] {
  const error = lines.findLastIndex((line) => beginsError.test(line));
  return error < 0 ? lines.slice(-Math.min(shownOtherwise, atMost)) : lines.slice(error, error + atMost);
}

/** The text of a line; bytes that are no UTF-8 are shown as such. */
export function lineText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
