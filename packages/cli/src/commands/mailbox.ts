/** `moorage mailbox`: what needs a person, and the decisions about it. */
import type { Mail, Mailbox, Notice, NoticeChoice } from "@moorage/core";
import { openMailbox, waitingNotices } from "@moorage/core";
import type { Invocation, Run } from "../args/command-spec.ts";
import type { ColdMovePorts } from "../cold-move/carry-out.ts";
import { movesUnderWay } from "../cold-move/under-way.ts";
import { usageError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import type { Acted } from "../mailbox/act-on-decision.ts";
import { actedJson, actOnDecision, checkStartable, isAboutMove } from "../mailbox/act-on-decision.ts";
import { choiceOf, choiceWord } from "../mailbox/choice-words.ts";
import { checkChoice, decideNotice, snoozeNotice } from "../mailbox/decide-notice.ts";
import { factsNow } from "../mailbox/facts-now.ts";
import { findNotice, shortId } from "../mailbox/find-notice.ts";
import { noticeJson } from "../mailbox/notice-json.ts";
import { noticeLines, noticeText } from "../mailbox/notice-text.ts";
import { whoDecides } from "../mailbox/who-decides.ts";
import { showProgress } from "../output/progress.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import { countFlag, durationFlag } from "../selection.ts";
import type { Session } from "../session.ts";
import { clockText } from "../text/time.ts";
import { withMachine } from "../update/with-machine.ts";

export const mailboxList: Run = async (invocation, host) =>
  withMachine(invocation, host, "read", async (session, { documents }) => {
    const { output } = host;
    const mail = await openMailbox(documents, session.random).list();
    const now = Date.now();
    const all = invocation.flags["all"] === true;
    const shown = all ? mail.notices : waitingNotices(mail.notices, now);
    const unasked = (await movesUnderWay(session.scope)).filter(({ fleet }) => !asks(mail.notices, fleet));
    if (output.json) {
      output.object("MailboxResult", { notices: shown.map(noticeJson), unreadable: mail.unreadable });
      return exit.ok;
    }
    for (const line of noticeLines(shown, mail.notices, output, now)) output.line(line);
    for (const line of listEnd(shown, mail, all)) output.line(line);
    // Whoever was to ask was killed before, or what it asked is decided.
    for (const { sentence } of unasked)
      output.line(`${sentence}; it asks nothing now: \`moorage update apply\` goes on, or asks`);
    return exit.ok;
  });

/** Whether a notice about the fleet's move waits, if only later. */
function asks(notices: readonly Notice[], fleet: string): boolean {
  return notices.some(
    (notice) => isAboutMove(notice) && notice.subject.name === fleet && /^(?:open|snoozed)$/.test(notice.state.kind),
  );
}

function listEnd(shown: readonly Notice[], { notices, unreadable }: Mail, all: boolean): string[] {
  const others = notices.length - shown.length;
  return [
    ...(shown.length === 0 ? [all ? "the mailbox is empty" : "nothing waits for a person"] : []),
    ...(shown.length > 0 && !all ? ["`moorage mailbox show ID` says more, and what there is to choose"] : []),
    ...(others > 0 && !all
      ? [`(${others} more for knowing, snoozed, decided or over: \`moorage mailbox list --all\`)`]
      : []),
    ...(unreadable.length > 0
      ? [`${unreadable.length} cannot be read: another version of moorage wrote them (${unreadable.join(", ")})`]
      : []),
  ];
}

export const mailboxShow: Run = async (invocation, host) =>
  withMachine(invocation, host, "read", async (session, { documents }) => {
    const { output } = host;
    const { notices } = await openMailbox(documents, session.random).list();
    const notice = findNotice(invocation.words[0] ?? "", notices);
    if (output.json) output.object("NoticeResult", { notice: noticeJson(notice) });
    else for (const line of noticeText(notice, notices, output, Date.now())) output.line(line);
    return exit.ok;
  });

export const mailboxApprove: Run = (invocation, host) => decide(() => "approve", invocation, host);
export const mailboxReject: Run = (invocation, host) => decide(() => "reject", invocation, host);
export const mailboxDecide: Run = (invocation, host) =>
  decide(({ choices }) => choiceOf(invocation.words[1] ?? "", choices), invocation, host);

/** A notice of which something is to be written down. */
interface Named {
  readonly notice: Notice;
  /** The one that a person has seen. */
  readonly revision: number;
  readonly notices: readonly Notice[];
  readonly mailbox: Mailbox;
  readonly session: Session;
  readonly machine: MachineScope;
}

function withNotice(invocation: Invocation, host: Host, use: (named: Named) => Promise<number>): Promise<number> {
  const seen = countFlag(invocation, "revision");
  return withMachine(invocation, host, "write", async (session, machine) => {
    const mailbox = openMailbox(machine.documents, session.random);
    const { notices } = await mailbox.list();
    const notice = findNotice(invocation.words[0] ?? "", notices);
    return use({ notice, revision: seen ?? notice.revision, notices, mailbox, session, machine });
  });
}

async function decide(choose: (notice: Notice) => NoticeChoice, invocation: Invocation, host: Host): Promise<number> {
  return withNotice(invocation, host, async ({ notice, revision, notices, mailbox, session, machine }) => {
    const { output } = host;
    const choice = choose(notice);
    const progress = showProgress(output, () => session.clock.now());
    const ports: ColdMovePorts = { machine, session, progress, host };
    try {
      checkChoice(notice, choice, notices);
      if (isLeftBehind(notice, choice)) {
        output.progress(`${shortId(notice.id, notices)} was decided like that before: going on with it`);
        const acted = await actOnDecision(notice, ports);
        // Else there is nothing to go on with: who decided what and when is told below.
        if (acted.move !== null && acted.move.outcome !== "nothing" && acted.move.outcome !== "busy")
          return told(notice, acted, notices, host);
      }
      await checkStartable(notice, choice, ports);
      const word = { choice, by: whoDecides(), at: Date.now(), revision };
      const decided = await decideNotice(notice, word, factsNow(machine, session), mailbox, session);
      output.progress(`${shortId(notice.id, notices)}: ${choiceWord(choice)}, recorded as decided by ${word.by}`);
      return told(decided, await actOnDecision(decided, ports), notices, host);
    } finally {
      progress.close();
    }
  });
}

/** Decided before this call began: whoever carried it out may have been killed, and this call takes it up. */
function isLeftBehind(notice: Notice, choice: NoticeChoice): boolean {
  return isAboutMove(notice) && notice.state.kind === "decided" && notice.state.choice === choice;
}

function told(notice: Notice, acted: Acted, all: readonly Notice[], { output }: Host): number {
  for (const line of acted.lines) output.line(line);
  const { move } = acted;
  if (move !== null && move.notice !== null)
    output.line(`it waits for a person: \`moorage mailbox show ${shortId(move.notice.id, [...all, move.notice])}\``);
  if (output.json) output.object("MailboxDecision", { notice: noticeJson(notice), ...actedJson(acted) });
  return acted.exit;
}

export const mailboxSnooze: Run = async (invocation, host) => {
  if (invocation.flags["for"] === undefined)
    throw usageError("how long it is to be silent is missing", "write `moorage mailbox snooze ID --for 2h`");
  const ms = durationFlag(invocation, "for", 0);
  return withNotice(invocation, host, async ({ notice, revision, notices, mailbox, session }) => {
    const { output } = host;
    const at = Date.now();
    const word = { by: whoDecides(), at, revision };
    const snoozed = await snoozeNotice(notice, word, at + ms, mailbox, session);
    if (output.json) output.object("MailboxDecision", { notice: noticeJson(snoozed), retry: null, move: null });
    output.line(
      `${shortId(notice.id, notices)} is silent until ${clockText(new Date(at + ms).toISOString(), at)}; \`moorage mailbox list --all\` shows it meanwhile`,
    );
    return exit.ok;
  });
};
