/** For tests: notices as the mailbox has them. */
import type { Notice } from "@moorage/core";

export function noticeOf(changes: Partial<Notice> = {}): Notice {
  return {
    format: 1,
    id: "4f2a09c1d3e5b7a8",
    about: "coldMove",
    subject: { kind: "fleet", name: "writers" },
    reason: "wire version 1 → 2: all 2 agents stop, are switched and start again; until it is done it can go back",
    evidence: { move: "m1", members: `scribe sha256:${"ab".repeat(32)} → b2` },
    choices: ["approve", "reject"],
    raisedAt: Date.parse("2026-03-01T10:00:00Z"),
    state: { kind: "open" },
    revision: 1,
    ...changes,
  };
}
