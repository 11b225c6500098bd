/** A notice for programs: plain, with its state in fields of its own and times in ISO 8601. */
import type { Notice } from "@moorage/core";

export function noticeJson({
  id,
  about,
  subject,
  reason,
  evidence,
  choices,
  raisedAt,
  revision,
  state,
}: Notice): object {
  return {
    id,
    about,
    subject,
    reason,
    evidence,
    choices,
    raisedAt: new Date(raisedAt).toISOString(),
    revision,
    state: state.kind,
    snoozedUntil: state.kind === "snoozed" ? new Date(state.until).toISOString() : null,
    decision:
      state.kind === "decided" ? { choice: state.choice, by: state.by, at: new Date(state.at).toISOString() } : null,
    supersededBy: state.kind === "superseded" ? state.by : null,
  };
}
