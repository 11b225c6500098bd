/**
 * What a harness in a container leaves behind about the end of its agent, where the platform keeps a last message: numbers
 * and words of ours alone. Whoever reads it takes nothing else, since the agent can write at that place as well.
 */
import type { Ending, EndingReason } from "./ending.ts";

export interface EndingNote {
  readonly reason: EndingReason;
  /** Turns that were in flight at the end. */
  readonly lostTurns: number;
  /** Something of it was still there when its grace was over. */
  readonly killed: boolean;
  /** Variables of which the harness could make nothing. */
  readonly wrong: readonly string[];
}

const kind = "moorage/ending/v1";
const variable = /^MOORAGE_[A-Z_]{1,40}$/;
const wrongAtMost = 20;

/** How a harness may end an agent; what only a platform can know is not its to tell. */
const reasons: ReadonlySet<string> = new Set<EndingReason>([
  "exited",
  "signaled",
  "outOfMemory",
  "stopped",
  "idle",
  "notStarted",
]);

export function writeEndingNote(note: EndingNote): string {
  return JSON.stringify({ kind, ...note });
}

/** Null for anything that is not such a note in every part. */
export function readEndingNote(text: string | null): EndingNote | null {
  const fields = parsed(text);
  if (fields === null || fields["kind"] !== kind) return null;
  const { reason, lostTurns, killed, wrong } = fields;
  if (typeof reason !== "string" || !reasons.has(reason)) return null;
  if (typeof lostTurns !== "number" || !Number.isSafeInteger(lostTurns) || lostTurns < 0) return null;
  if (typeof killed !== "boolean" || !Array.isArray(wrong) || wrong.length > wrongAtMost) return null;
  if (!wrong.every((name): name is string => typeof name === "string" && variable.test(name))) return null;
  return { reason: reason as EndingReason, lostTurns, killed, wrong };
}

/** Its reason, and what else it tells in words. */
export function endingOfNote(note: EndingNote): Pick<Ending, "reason" | "detail"> {
  const { reason, lostTurns, killed, wrong } = note;
  const details: string[] = [];
  if (wrong.length > 0) details.push(`its harness cannot go by ${wrong.join(", ")}; its log says why`);
  else if (reason === "notStarted") details.push("its log says why");
  if (lostTurns > 0) details.push(lostTurns === 1 ? "a turn was lost" : `${lostTurns} turns were lost`);
  if (killed) details.push("what was still there when its grace was over was killed");
  return { reason, detail: details.length === 0 ? null : details.join("; ") };
}

function parsed(text: string | null): Readonly<Record<string, unknown>> | null {
  if (text === null || !text.startsWith("{")) return null;
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
