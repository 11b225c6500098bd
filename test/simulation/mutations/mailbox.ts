/** Mutations of update.md 6: the operator's mailbox. */
import type { Mutation } from "./mutation.ts";
import { broken } from "./mutation.ts";

const told = broken(["mailbox/"]);
const undecided = "if (!isUndecided(notice) || revision !== notice.revision) return";

export const mailbox: readonly Mutation[] = [
  told("6 raised once", "mailbox/notice", "if (same !== undefined) return", 'if (same?.id === "") return'),
  told(
    "6 superseded rather than repeated",
    "mailbox/notice",
    "line.filter(isUndecided).map(",
    "line.filter(({ id: each }) => each === '').map(",
  ),
  told("6 what was decided stays", "mailbox/notice", "line.filter(isUndecided).map(", "line.map("),
  told("6 by its subject", "mailbox/notice", "one.subject.name === other.subject.name", "one.subject.name !== ''"),
  told("6 by what it is about", "mailbox/notice", "one.about === other.about", "one.about !== other.reason"),
  told("6 by its facts", "mailbox/notice", "return sameEvidence(one.evidence, other.evidence) && one", "return one"),
  told("6 by its choices", "mailbox/notice", " && one.choices.join() === other.choices.join()", ""),
  told("6 what is superseded may be told again", "mailbox/notice", "stands(notice) && sameFacts", "sameFacts"),
  told(
    "6 withdrawn when it is not so any more",
    "mailbox/notice",
    "return isUndecided(notice) ? withState",
    "return !isUndecided(notice) ? withState",
  ),
  told("6 a change has a new revision", "mailbox/notice", "revision: notice.revision + 1", "revision: notice.revision"),
  told("6 a snooze ends", "mailbox/notice", "at >= state.until", "at > state.until"),
  told("6 what wants no decision does not wait", "mailbox/notice", "choices.length > 0 &&", ""),
  told(
    "6 two cannot both decide",
    "mailbox/decide",
    `${undecided} { kind: "lost", notice };\n  if (!notice`,
    `if (!notice`,
  ),
  told(
    "6 a decision is one of the choices",
    "mailbox/decide",
    "if (!notice.choices.includes(choice))",
    'if (by === "")',
  ),
  told(
    "6 a decision whose facts have moved is refused",
    "mailbox/decide",
    "if (!sameEvidence(notice.evidence, now.evidence) || !now",
    "if (!now",
  ),
  told(
    "6 and one that is no choice any more",
    "mailbox/decide",
    "now.evidence) || !now.choices.includes(choice))",
    "now.evidence))",
  ),
  told("6 a fresh notice takes its place", "mailbox/decide", "fresh: newNotice(now, freshId, at),", "fresh: null,"),
  told(
    "6 an executor looks at the facts again",
    "mailbox/decide",
    "return sameEvidence(evidence, now.evidence) && now",
    "return now",
  ),
  told(
    "6 who decided is recorded",
    "mailbox/decide",
    '{ kind: "decided", choice, by, at }',
    '{ kind: "decided", choice, by: "", at }',
  ),
  told("6 a snooze of a clock that was ahead", "mailbox/notice", " || at < state.at", ""),
];
