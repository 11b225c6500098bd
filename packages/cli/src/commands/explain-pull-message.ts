/** `moorage explain --pull-message`: what a text of the kubelet about an image means. Needs no cluster, no state, no declaration. */
import { stdin } from "node:process";
import { createInterface } from "node:readline";
import { pullWords } from "@moorage/core";
import { diagnosePull, type PullDiagnosis, pullFailureKind } from "@moorage/kubernetes";
import type { Run } from "../args/command-spec.ts";
import { usageError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import type { Output } from "../output/output.ts";

const usualReason = "ErrImagePull";

export const explainPullMessage: Run = async ({ words, flags }, { output, interrupt }) => {
  if (words.length > 0) throw usageError("--pull-message explains a text and no agent", `leave ${words.join(" ")} out`);
  const text = flags["pull-message"];
  const { reason } = flags;
  if (text === "-") return answerAll(typeof reason === "string" ? reason : usualReason, output, interrupt);
  const diagnosis = diagnosePull(typeof reason === "string" ? reason : usualReason, String(text));
  if (output.json) output.object("PullDiagnosis", diagnosis);
  else for (const line of inWords(diagnosis)) output.line(line);
  return exit.ok;
};

/** One JSON object for each that comes, in their order. */
async function answerAll(reason: string, output: Output, interrupt: AbortSignal): Promise<number> {
  let line = 0;
  for await (const text of createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY, signal: interrupt })) {
    line += 1;
    if (output.closed.aborted) break;
    if (text.trim() === "") continue;
    const asked = question(text, line);
    output.object("PullDiagnosis", diagnosePull(asked.reason ?? reason, asked.message));
  }
  return interrupt.aborted ? exit.interrupted : exit.ok;
}

function question(text: string, line: number): { readonly reason?: string; readonly message: string } {
  const hint = 'write one object a line, such as {"reason":"ErrImagePull","message":"…"}';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usageError(`line ${line} of standard input is no JSON`, hint);
  }
  const { reason, message } = (value ?? {}) as { readonly reason?: unknown; readonly message?: unknown };
  if (typeof message !== "string") throw usageError(`line ${line} of standard input has no text as its message`, hint);
  return typeof reason === "string" ? { reason, message } : { message };
}

function inWords({ verdict, cause }: PullDiagnosis): string[] {
  const kind = pullFailureKind(verdict);
  const named = cause === verdict ? verdict : `${verdict} (${cause})`;
  if (kind === null) {
    const meaning = cause.startsWith("transient:") ? "it may pass by itself" : "it says nothing that would be lasting";
    return [`${named}: ${meaning}`, "  → a start that waits goes on by itself once the pull succeeds"];
  }
  const { meaning, remedy } = pullWords[kind];
  return [`${named}: ${meaning}; it will not pass by itself`, `  → to mend it, ${remedy}`];
}
