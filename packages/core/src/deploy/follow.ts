/** Following one instance until something worth another look happens: watching, never polling, and never for longer than 30 s. */
import { createAbort } from "../ports/abort.ts";
import type { Hint, Version } from "../ports/substrate.ts";
import type { Call } from "./call.ts";
import type { VerifiedInstance } from "./observation.ts";
import { verify } from "./observation.ts";
import { secretToConfirm } from "./startup.ts";

/** Milliseconds after which a watch that may have gone silent is not trusted any more. */
const rereadMs = 30_000;

export type Followed =
  /** Something changed, or the watch is not to be trusted any more: read again. */
  | { readonly kind: "look"; readonly afterMs: number | null; readonly troubled: boolean }
  /** The instance is gone; `last` is what it was when it was removed. */
  | { readonly kind: "gone"; readonly last: VerifiedInstance }
  /** What the follow was for. */
  | { readonly kind: "reached"; readonly instance: VerifiedInstance }
  | { readonly kind: "deadline" }
  | { readonly kind: "interrupted" };

/** What a changed instance means to whoever follows it. */
export type Verdict = "reached" | "goOn" | "look";

export interface Followee {
  readonly from: Version;
  /** The incarnation that is followed. */
  readonly uid: string;
  /** Versions of it that were judged already: a repeated event says nothing new. */
  readonly judged: Set<string>;
  readonly judge: (instance: VerifiedInstance) => Verdict;
  /** Whether news of another incarnation calls for another look. */
  readonly alone: boolean;
}

/** Follows one incarnation. At most `boundMs` milliseconds, and never beyond the deadline. */
export async function follow(call: Call, followee: Followee, boundMs: number = rereadMs): Promise<Followed> {
  const stop = createAbort(call.signal);
  const hints = call.substrate.follow(call.subject.identity, followee.from, stop.signal)[Symbol.asyncIterator]();
  const until = call.clock.now() + boundMs;
  let pending = hints.next();
  try {
    for (;;) {
      const left = call.remaining();
      if (left <= 0) return { kind: "deadline" };
      const bound = until - call.clock.now();
      if (bound <= 0) return { kind: "look", afterMs: null, troubled: false };
      const next = await call.within(pending, Math.min(bound, left));
      if (next.kind === "interrupted") return next;
      if (next.kind === "elapsed") continue;
      if (next.value.done === true) return { kind: "look", afterMs: null, troubled: true };
      const followed = judgeHint(call, followee, next.value.value);
      if (followed !== null) return followed;
      pending = hints.next();
    }
  } finally {
    stop.abort();
    void hints.return?.();
  }
}

function judgeHint(call: Call, followee: Followee, hint: Hint): Followed | null {
  const { profile, identity } = call.subject;
  if (hint.kind === "over") {
    if (hint.refusal !== undefined) call.tolerate(hint.refusal);
    return { kind: "look", afterMs: hint.retryAfterMs, troubled: true };
  }
  call.progressed();
  const observed = hint.kind === "removed" ? hint.last : hint.instance;
  const ours = verify(observed, profile, identity);
  if (ours.kind === "foreign")
    return observed.name === call.name ? { kind: "look", afterMs: null, troubled: false } : null;
  const { instance } = ours;
  const isFollowed = instance.fence.uid === followee.uid;
  if (hint.kind === "removed") {
    call.lastSeen.noteRemoved(instance, followee.from);
    return isFollowed ? { kind: "gone", last: instance } : null;
  }
  if (isFollowed && followee.judged.has(instance.fence.resourceVersion)) return null;
  if (isFollowed || instance.name === call.name) call.lastSeen.note(instance, followee.from);
  if (!isFollowed) return followee.alone ? { kind: "look", afterMs: null, troubled: false } : null;
  followee.judged.add(instance.fence.resourceVersion);
  if (secretToConfirm(observed.evidence) !== null) return { kind: "look", afterMs: null, troubled: false };
  const verdict = followee.judge(instance);
  if (verdict === "reached") return { kind: "reached", instance };
  return verdict === "look" ? { kind: "look", afterMs: null, troubled: false } : null;
}
