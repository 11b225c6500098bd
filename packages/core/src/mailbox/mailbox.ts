/** The operator's mailbox over documents: every change compares what was seen and swaps, so that of two at once one is told. */
import type { Documents } from "../ports/documents.ts";
import type { Random } from "../ports/random.ts";
import type { Decided, Decision } from "./decide.ts";
import { decide, snooze } from "./decide.ts";
import type { Notice, NoticeDraft, NoticeState, Raised } from "./notice.ts";
import { isUndecided, raise, sameFacts, sameLine, stands, withdraw, withState } from "./notice.ts";
import { readNotice, writeNotice } from "./read-notice.ts";

/**
 * Decided and superseded ones beyond these are forgotten, the longest closed first: enough for weeks of "who decided that",
 * and every look at the mailbox reads them all.
 */
export const closedKept = 256;
const idDigits = 16;

export interface Mail {
  /** The oldest first. */
  readonly notices: readonly Notice[];
  /** Ids of those that this version cannot read: they are left as they are. */
  readonly unreadable: readonly string[];
}

/** The matter of a notice as it is found at this moment, or null when there is nothing to decide any more. */
export type Facts = (notice: Notice) => Promise<NoticeDraft | null>;

export type MailboxDecided = Decided | { readonly kind: "unknown" };

/** Every `at` is in milliseconds since 1970. Rejects with a fault of the documents, or a `PlainDataError` of the one asked for. */
export interface Mailbox {
  list(): Promise<Mail>;
  /** Null: there is none of this id. */
  read(id: string): Promise<Notice | null>;
  /** Once it returns, the line of the draft has exactly one that is undecided, or the same has been decided. */
  raise(draft: NoticeDraft, at: number): Promise<Raised>;
  /** By the revision that the person saw. Whoever loses is told by the notice who was faster, and with what. */
  decide(id: string, decision: Decision, facts: Facts): Promise<MailboxDecided>;
  /** Not now, but from `until` on. */
  snooze(
    id: string,
    word: Omit<Decision, "choice">,
    until: number,
  ): Promise<Extract<MailboxDecided, { kind: "decided" | "lost" | "unknown" }>>;
  /** What it told is not so any more: all that is undecided in these lines, or those of them alone. Returns them as they are then. */
  withdraw(
    lines: readonly Pick<NoticeDraft, "about" | "subject">[],
    at: number,
    which?: (notice: Notice) => boolean,
  ): Promise<Notice[]>;
}

export function openMailbox(documents: Documents, random: Random): Mailbox {
  const mailbox: Mailbox = {
    async list() {
      const notices: Notice[] = [];
      const unreadable: string[] = [];
      for (const { name, text } of await documents.list("notice")) {
        try {
          notices.push(readNotice(text));
        } catch {
          unreadable.push(name);
        }
      }
      notices.sort((one, other) => one.raisedAt - other.raisedAt || (one.id < other.id ? -1 : 1));
      return { notices, unreadable };
    },

    async read(id) {
      const stored = await documents.read("notice", id);
      return stored === null ? null : readNotice(stored.text);
    },

    async raise(draft, at) {
      for (;;) {
        const before = (await mailbox.list()).notices;
        const raised = raise(before, draft, random.token(idDigits), at);
        const { notice } = raised;
        if (raised.kind === "standing") {
          // Whoever raised it was killed before the earlier ones were superseded.
          const earlier = before.filter((other) => sameLine(other, notice) && other.raisedAt < notice.raisedAt);
          if (isUndecided(notice)) await change(earlier, (one) => withState(one, supersededBy(notice.id, at)));
          return raised;
        }
        // It is written before the earlier ones are superseded: whoever is killed in between has lost nothing.
        if ((await documents.swap("notice", notice.id, null, writeNotice(notice))) === "moved") continue;
        const { notices } = await mailbox.list();
        const seen = new Set(before.map(({ id }) => id));
        const rival = notices.find((other) => !seen.has(other.id) && beats(other, notice));
        const others = notices.filter((other) => other.id !== notice.id && sameLine(other, notice));
        const over = rival === undefined ? others : [notice];
        const by = rival?.id ?? notice.id;
        const superseded = await change(over, (one) => withState(one, supersededBy(by, at)));
        await forget(notices, at);
        // Of three at once each may have been superseded by another that is not there any more either.
        if (rival === undefined && (await isStillTold(notice))) return { kind: "raised", notice, superseded };
      }
    },

    async decide(id, decision, facts) {
      for (;;) {
        const stored = await documents.read("notice", id);
        if (stored === null) return { kind: "unknown" };
        const notice = readNotice(stored.text);
        const now = isUndecided(notice) ? await facts(notice) : null;
        const decided = decide(notice, decision, now, random.token(idDigits));
        if (decided.kind === "moved") return replace(notice, now, decision.at);
        if (decided.kind !== "decided") return decided;
        const swapped = await documents.swap("notice", id, stored.revision, writeNotice(decided.notice));
        if (swapped === "swapped") return decided;
      }
    },

    async snooze(id, word, until) {
      for (;;) {
        const stored = await documents.read("notice", id);
        if (stored === null) return { kind: "unknown" };
        const snoozed = snooze(readNotice(stored.text), word, until);
        if (snoozed.kind === "lost") return snoozed;
        const swapped = await documents.swap("notice", id, stored.revision, writeNotice(snoozed.notice));
        if (swapped === "swapped") return snoozed;
      }
    },

    async withdraw(lines, at, which = () => true) {
      const { notices } = await mailbox.list();
      const over = notices.filter((notice) => lines.some((line) => sameLine(notice, line)) && which(notice));
      return change(over, (notice) => withdraw(notice, at));
    },
  };

  /** Its facts have moved: what is so now takes its place. */
  async function replace(notice: Notice, now: NoticeDraft | null, at: number): Promise<MailboxDecided> {
    const fresh = now === null ? null : (await mailbox.raise(now, at)).notice;
    await change([notice], (one) => withState(one, supersededBy(fresh?.id ?? null, at)));
    const superseded = (await mailbox.read(notice.id)) ?? notice;
    // Somebody decided while the facts were looked at.
    if (superseded.state.kind === "decided") return { kind: "lost", notice: superseded };
    return { kind: "moved", superseded, fresh };
  }

  /** Whether its line says anything: by itself, or by one that came later. */
  async function isStillTold(notice: Notice): Promise<boolean> {
    const { notices } = await mailbox.list();
    return notices.some(
      (one) => sameLine(one, notice) && (isUndecided(one) || (one.id === notice.id && one.state.kind === "decided")),
    );
  }

  /** Changes those that are still undecided, whatever they have become since; the ones that were changed. */
  async function change(notices: readonly Notice[], to: (notice: Notice) => Notice): Promise<Notice[]> {
    const changed: Notice[] = [];
    for (const { id } of notices.filter(isUndecided)) {
      for (;;) {
        const stored = await documents.read("notice", id);
        const now = stored === null ? null : readNotice(stored.text);
        if (stored === null || now === null || !isUndecided(now)) break;
        const after = to(now);
        if ((await documents.swap("notice", id, stored.revision, writeNotice(after))) === "moved") continue;
        changed.push(after);
        break;
      }
    }
    return changed;
  }

  /** A clock that was ahead has closed things in the future: those are the oldest, not the newest. */
  async function forget(notices: readonly Notice[], at: number): Promise<void> {
    const closed = notices.flatMap((notice) => {
      const { state, id } = notice;
      return state.kind === "decided" || state.kind === "superseded" ? [{ id, at: state.at > at ? -1 : state.at }] : [];
    });
    closed.sort((one, other) => one.at - other.at);
    for (const { id } of closed.slice(0, Math.max(0, closed.length - closedKept))) {
      const stored = await documents.read("notice", id);
      if (stored !== null) await documents.swap("notice", id, stored.revision, null);
    }
  }

  return mailbox;
}

/** Of those raised at once by several the one with the lower id stands; whoever was decided on the same facts stands anyway. */
function beats(other: Notice, own: Notice): boolean {
  if (!sameLine(other, own) || other.id === own.id) return false;
  if (isUndecided(other)) return other.id < own.id;
  return stands(other) && sameFacts(other, own);
}

function supersededBy(by: string | null, at: number): NoticeState {
  return { kind: "superseded", by, at };
}
