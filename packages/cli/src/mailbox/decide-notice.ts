/** A person's decision about a notice: compared with what they saw and with the facts, on record, in the journal. */
import type { Mailbox, Notice, NoticeChoice, NoticeFacts } from "@moorage/core";
import { CliError } from "../errors/cli-error.ts";
import type { Session } from "../session.ts";
import { clockText } from "../text/time.ts";
import { choiceWord } from "./choice-words.ts";
import { shortId } from "./find-notice.ts";
import { aboutWords } from "./notice-text.ts";

export interface Word {
  readonly choice: NoticeChoice;
  /** Login name and host. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the notice as the person saw it. */
  readonly revision: number;
}

/**
 * The notice as it is decided. Throws `decidedAlready` when somebody was faster and `noticeMoved` when it does not fit the
 * facts any more, both exit 5; `notAChoice`, exit 2.
 */
export async function decideNotice(
  notice: Notice,
  word: Word,
  facts: NoticeFacts,
  mailbox: Mailbox,
  session: Session,
): Promise<Notice> {
  const decided = await mailbox.decide(notice.id, word, facts);
  const all = (await mailbox.list()).notices;
  switch (decided.kind) {
    case "decided":
      tellJournal(decided.notice, `${choiceWord(word.choice)}, decided by ${word.by}`, word.choice, session);
      return decided.notice;
    case "lost":
      throw lostError(decided.notice, all, word.at);
    case "moved": {
      tellJournal(decided.superseded, "its facts have moved: it was not decided", "noticeMoved", session);
      throw movedError(decided.superseded, decided.fresh, all);
    }
    case "notAChoice":
      throw notAChoice(notice, all);
    case "unknown":
      throw goneError(notice, all);
    default:
      return decided satisfies never;
  }
}

/** The same for "not now". Throws `decidedAlready`. `until` in milliseconds since 1970. */
export async function snoozeNotice(
  notice: Notice,
  word: Omit<Word, "choice">,
  until: number,
  mailbox: Mailbox,
  session: Session,
): Promise<Notice> {
  const snoozed = await mailbox.snooze(notice.id, word, until);
  const all = (await mailbox.list()).notices;
  if (snoozed.kind === "unknown") throw goneError(notice, all);
  if (snoozed.kind === "lost") throw lostError(snoozed.notice, all, word.at);
  tellJournal(snoozed.notice, `snoozed until ${new Date(until).toISOString()} by ${word.by}`, "snoozed", session);
  return snoozed.notice;
}

function tellJournal({ id, about, subject }: Notice, message: string, code: string, { scope }: Session): void {
  scope.journal.append({
    step: "decide",
    agent: subject.name,
    identity: "",
    attempt: null,
    message: `notice ${id} (${aboutWords(about)}): ${message}`,
    code,
    rule: null,
    name: id,
  });
}

/** Throws `notAChoice`, exit 2, for a choice that the notice does not have. */
export function checkChoice(notice: Notice, choice: NoticeChoice, all: readonly Notice[]): void {
  if (!notice.choices.includes(choice)) throw notAChoice(notice, all);
}

function notAChoice({ id, choices }: Notice, all: readonly Notice[]): CliError {
  const short = shortId(id, all);
  return new CliError({
    code: "notAChoice",
    message: `notice ${short} does not offer that`,
    hint:
      choices.length === 0
        ? "it is for knowing only: there is nothing to decide"
        : `to choose are: ${choices.map(choiceWord).join(", ")}; \`moorage mailbox show ${short}\` says what each means`,
    details: { id, choices },
  });
}

function lostError(notice: Notice, all: readonly Notice[], now: number): CliError {
  const { id, state, revision } = notice;
  const short = shortId(id, all);
  const shared = { id, revision, state: state.kind };
  switch (state.kind) {
    case "decided":
      return new CliError({
        code: "decidedAlready",
        message: `notice ${short} was decided before: ${choiceWord(state.choice)}, by ${state.by} at ${clockText(new Date(state.at).toISOString(), now)}`,
        hint: `\`moorage mailbox show ${short}\` shows it; nothing of yours was recorded`,
        details: { ...shared, choice: state.choice, by: state.by, at: new Date(state.at).toISOString() },
      });
    case "superseded": {
      const next = state.by === null ? null : shortId(state.by, all);
      return new CliError({
        code: "noticeMoved",
        message: `notice ${short} does not wait any more: ${next === null ? "its facts are gone" : `${next} takes its place`}`,
        hint:
          next === null ? "`moorage mailbox list` shows what waits" : `look at it: \`moorage mailbox show ${next}\``,
        details: { ...shared, fresh: state.by },
      });
    }
    case "open":
    case "snoozed":
      return new CliError({
        code: "noticeMoved",
        message: `notice ${short} has changed since you saw it: it has revision ${revision} now`,
        hint: `look again: \`moorage mailbox show ${short}\``,
        details: { ...shared, fresh: null },
      });
    default:
      return state satisfies never;
  }
}

function movedError({ id }: Notice, fresh: Notice | null, all: readonly Notice[]): CliError {
  const short = shortId(id, all);
  const next = fresh === null ? null : shortId(fresh.id, all);
  return new CliError({
    code: "noticeMoved",
    message: `what notice ${short} tells is not so any more; nothing was decided`,
    hint:
      next === null
        ? "there is nothing left to decide about it; `moorage mailbox list` shows what waits"
        : `${next} takes its place: \`moorage mailbox show ${next}\``,
    details: { id, fresh: fresh?.id ?? null },
  });
}

function goneError({ id }: Notice, all: readonly Notice[]): CliError {
  return new CliError({
    code: "noticeMoved",
    message: `notice ${shortId(id, all)} was forgotten: it was over for long`,
    hint: "`moorage mailbox list` shows what waits",
    details: { id, fresh: null },
  });
}
