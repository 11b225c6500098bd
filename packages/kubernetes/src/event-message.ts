/** What an Event says, fit to be shown: pull messages in words of ours, since they can carry the registry's tokens; everything else redacted and cut. */
import { pullWords, redactor } from "@moorage/core";
import { pullCause } from "./decode-waiting.ts";
import { diagnosePull, pullFailureKind } from "./pull-failure.ts";

/** Characters of a message: a runtime may repeat pages of somebody's. */
const longest = 500;

const shown = redactor([]);

/** `message` as the API server has it. */
export function eventMessage(reason: string, message: string): string {
  const flat = message.replace(/\s+/g, " ").trim();
  return pullMessage(reason, flat) ?? cut(shown(flat));
}

/** What it says of a pull that failed; null: it is about something else. */
function pullMessage(reason: string, message: string): string | null {
  if (/^Error: (?:ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName)$/.test(message)) return message;
  const failed =
    /^Back-off pulling image\b/.test(message) ||
    /^Failed to (?:pull|inspect) (?:and unpack )?image\b/i.test(message) ||
    /\bget sandbox image\b/.test(message) ||
    /^Error: (?:Err)?Image/.test(message) ||
    reason === "InspectFailed" ||
    reason === "ErrImageNeverPull";
  if (!failed) return null;
  if (/\bget sandbox image\b/.test(message)) return "the node cannot pull the image that every sandbox needs";
  return pullWordsOf("ErrImagePull", message);
}

/** What a pull failure means. */
export function pullWordsOf(reason: string, message: string): string {
  const { verdict, cause } = diagnosePull(reason, message);
  const kind = pullFailureKind(verdict);
  if (kind !== null) return `its image cannot be pulled: ${pullWords[kind].meaning}`;
  const why = pullCause(cause);
  return `its image cannot be pulled yet${why === null ? "" : `: ${why}`}`;
}

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
