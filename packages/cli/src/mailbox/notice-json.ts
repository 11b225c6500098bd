/** A notice for programs: plain, with its state in fields of its own and times in ISO 8601. */
import type { Notice } from "@moorage/core";

export function noticeJson({ format: _, raisedAt, state, ...plain }: Notice): object {
  return {
    ...plain,
    raisedAt: iso(raisedAt),
    state: state.kind,
    snoozedUntil: state.kind === "snoozed" ? iso(state.until) : null,
    decision: state.kind === "decided" ? { choice: state.choice, by: state.by, at: iso(state.at) } : null,
    supersededBy: state.kind === "superseded" ? state.by : null,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
