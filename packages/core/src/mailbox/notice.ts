/** An entry of the operator's mailbox: what is, why a person should know, and what they may choose. Raised once, superseded rather than repeated. */

/** What a notice is about; with its subject it is the line in which a later one supersedes an earlier one. */
export type NoticeAbout =
  /** A cold move waits for its approval. */
  | "coldMove"
  /** A cold move was held: go on, or back? */
  | "moveHeld"
  /** Going back from here loses what was migrated. */
  | "pointOfNoReturn"
  | "bundleRefused"
  | "bundleReverted"
  /** An agent keeps putting a bundle off. */
  | "bundlePutOff"
  /** A channel says two things at once. */
  | "equivocation"
  /** It ended, and only a person goes on from here. */
  | "agentEnded"
  | "cannotStart"
  | "nodeLost";

export interface Subject {
  readonly kind: "agent" | "fleet";
  readonly name: string;
}

export type Choice = "approve" | "reject" | "retry" | "goOn" | "goBack" | "leave" | "acknowledge";

/** What was seen, by name: what a decision goes by. Never a secret value. */
export type Evidence = Readonly<Record<string, string>>;

/** A notice that nobody has raised yet. */
export interface NoticeDraft {
  readonly about: NoticeAbout;
  readonly subject: Subject;
  /** One sentence for people. */
  readonly reason: string;
  readonly evidence: Evidence;
  /** Empty: it is for knowing, nothing waits for a decision. */
  readonly choices: readonly Choice[];
}

export type NoticeState =
  | { readonly kind: "open" }
  | { readonly kind: "snoozed"; readonly until: number; readonly by: string; readonly at: number }
  | { readonly kind: "decided"; readonly choice: Choice; readonly by: string; readonly at: number }
  /** By the notice of that id, or because its facts are gone. */
  | { readonly kind: "superseded"; readonly by: string | null; readonly at: number };

/** Times are milliseconds since 1970. */
export interface Notice extends NoticeDraft {
  readonly format: typeof noticeFormat;
  readonly id: string;
  readonly raisedAt: number;
  readonly state: NoticeState;
  /** Rises with every change: who writes compares it and swaps. */
  readonly revision: number;
}

export const noticeFormat = 1;

export type Raised =
  /** The same was told before, and stands: also when it has been decided. */
  | { readonly kind: "standing"; readonly notice: Notice }
  | { readonly kind: "raised"; readonly notice: Notice; readonly superseded: readonly Notice[] };

/** `earlier`: what the mailbox has of that line, in any order. `id` is a fresh token. */
export function raise(earlier: readonly Notice[], draft: NoticeDraft, id: string, at: number): Raised {
  const line = earlier.filter((notice) => sameLine(notice, draft));
  const same = line.find((notice) => stands(notice) && sameFacts(notice, draft));
  if (same !== undefined) return { kind: "standing", notice: same };
  const superseded = line.filter(isUndecided).map((notice) => withState(notice, { kind: "superseded", by: id, at }));
  return { kind: "raised", notice: newNotice(draft, id, at), superseded };
}

/** What it told is not so any more, and nothing takes its place. What was decided stays as it is. */
export function withdraw(notice: Notice, at: number): Notice {
  return isUndecided(notice) ? withState(notice, { kind: "superseded", by: null, at }) : notice;
}

export function newNotice(draft: NoticeDraft, id: string, at: number): Notice {
  return { ...draft, format: noticeFormat, id, raisedAt: at, state: { kind: "open" }, revision: 1 };
}

export function withState(notice: Notice, state: NoticeState): Notice {
  return { ...notice, state, revision: notice.revision + 1 };
}

export function isUndecided({ state }: Notice): boolean {
  return state.kind === "open" || state.kind === "snoozed";
}

/**
 * Those that wait for a person now, oldest first. A snooze that is over counts, and one of a time that has not come yet: the
 * clock was ahead, and nobody may wait until it gets there again.
 */
export function waiting(notices: readonly Notice[], at: number): Notice[] {
  return notices
    .filter(
      ({ choices, state }) =>
        choices.length > 0 &&
        (state.kind === "open" || (state.kind === "snoozed" && (at >= state.until || at < state.at))),
    )
    .sort((one, other) => one.raisedAt - other.raisedAt);
}

/** Whether what it told needs no telling again. Who wanted it tried again is to hear that it failed again. */
export function stands({ state }: Notice): boolean {
  return state.kind !== "superseded" && !(state.kind === "decided" && state.choice === "retry");
}

/** About the same matter: of these a later one supersedes an earlier one. */
export function sameLine(
  one: Pick<NoticeDraft, "about" | "subject">,
  other: Pick<NoticeDraft, "about" | "subject">,
): boolean {
  return (
    one.about === other.about && one.subject.kind === other.subject.kind && one.subject.name === other.subject.name
  );
}

/** The sentence may be worded anew; facts and choices may not. */
export function sameFacts(one: NoticeDraft, other: NoticeDraft): boolean {
  return sameEvidence(one.evidence, other.evidence) && one.choices.join() === other.choices.join();
}

export function sameEvidence(one: Evidence, other: Evidence): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && one[name] === other[name])
  );
}
