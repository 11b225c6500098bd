/** A person's decision about a notice: compare-and-swap, and only while its facts hold. */
import type { Choice, Notice, NoticeDraft } from "./notice.ts";
import { isUndecided, newNotice, sameEvidence, withState } from "./notice.ts";

export interface Decision {
  readonly choice: Choice;
  /** Who decides, as they are known to this machine or cluster. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the notice that they saw. */
  readonly revision: number;
}

export type Decided =
  /** Written if the revision is still the one that was seen. */
  | { readonly kind: "decided"; readonly notice: Notice }
  /** Somebody was faster: decided, superseded or changed since. The notice says who and what. */
  | { readonly kind: "lost"; readonly notice: Notice }
  | { readonly kind: "notAChoice"; readonly choices: readonly Choice[] }
  /** It does not fit the facts any more; `fresh` takes its place, if there is still something to decide. */
  | { readonly kind: "moved"; readonly superseded: Notice; readonly fresh: Notice | null };

/**
 * `now`: the same matter as it is found at this moment, or null when there is nothing to decide any more. `freshId`: a token
 * for the notice that takes the place of one whose facts have moved.
 */
export function decide(notice: Notice, decision: Decision, now: NoticeDraft | null, freshId: string): Decided {
  const { choice, by, at, revision } = decision;
  if (!isUndecided(notice) || revision !== notice.revision) return { kind: "lost", notice };
  if (!notice.choices.includes(choice)) return { kind: "notAChoice", choices: notice.choices };
  if (now === null)
    return { kind: "moved", superseded: withState(notice, { kind: "superseded", by: null, at }), fresh: null };
  if (!sameEvidence(notice.evidence, now.evidence) || !now.choices.includes(choice))
    return {
      kind: "moved",
      superseded: withState(notice, { kind: "superseded", by: freshId, at }),
      fresh: newNotice(now, freshId, at),
    };
  return { kind: "decided", notice: withState(notice, { kind: "decided", choice, by, at }) };
}

/** Not now: it waits again from `until` on, in milliseconds since 1970. The same comparison holds. */
export function snooze(
  notice: Notice,
  { by, at, revision }: Omit<Decision, "choice">,
  until: number,
): Extract<Decided, { kind: "decided" | "lost" }> {
  if (!isUndecided(notice) || revision !== notice.revision) return { kind: "lost", notice };
  return { kind: "decided", notice: withState(notice, { kind: "snoozed", until, by, at }) };
}

/**
 * Whether an executor may act on it now: the choice, or null. What was decided holds as long as the facts do; whoever acts
 * looks at them again.
 */
export function standingChoice({ state, evidence }: Notice, now: NoticeDraft | null): Choice | null {
  if (state.kind !== "decided" || now === null) return null;
  return sameEvidence(evidence, now.evidence) && now.choices.includes(state.choice) ? state.choice : null;
}
