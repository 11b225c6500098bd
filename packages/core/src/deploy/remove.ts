/** Carries out a removal with the fence that authorised it, and waits until the name is really free. */
import type { Call } from "./call.ts";
import { unavailableCondition } from "./call.ts";
import type { DeleteAction } from "./classify.ts";
import { awaitGone, noteGone, unconfirmed } from "./disappearance.ts";
import type { Attempt } from "./identity.ts";
import { mayBeAlive } from "./last-seen.ts";
import type { CallEnd, Look } from "./look.ts";
import { timeIsOver } from "./look.ts";
import type { VerifiedInstance } from "./observation.ts";
import { refusalCondition } from "./refusal.ts";

export type Step = { readonly kind: "look" } | CallEnd;

export interface Removing {
  /** The incarnation that a delete was sent for. */
  removedUid: string | null;
  readonly gone: Set<Attempt>;
}

/** Sends the one removal. A conflict is neither an error nor a licence to send it again: look. */
export async function remove(
  call: Call,
  action: DeleteAction,
  own: VerifiedInstance,
  seen: Look,
  state: Removing,
): Promise<Step> {
  call.say("delete", action.ground, `deleting ${action.name}: ${reasonOf(action)}`, null, action.name);
  const removal = await call.substrate.deleteInstance(action.name, action.fence);
  switch (removal.kind) {
    case "accepted":
      call.progressed();
      state.removedUid = action.fence.uid;
      call.did("delete", reasonOf(action), action.name);
      return afterRemoval(call, own, seen, state);
    case "notFound":
      noteGone(state.gone, own);
      return { kind: "look" };
    case "conflict":
      call.say("delete", "conflict", `${action.name} has changed since: looking again`, null, action.name);
      return pauseThenLook(call, null);
    case "refused":
      return { kind: "refused", condition: refusalCondition(removal.refusal, call.subject.agent) };
    case "unknownOutcome":
      state.removedUid = action.fence.uid;
      call.waitFor(unavailableCondition(removal, call.substrate.scope));
      return pauseThenLook(call, null);
    case "unavailable":
      call.waitFor(unavailableCondition(removal, call.substrate.scope));
      return pauseThenLook(call, removal.retryAfterMs);
    default:
      return removal satisfies never;
  }
}

/** Follows an instance on its way out; then the name is free, or the call has to look again. */
export async function afterRemoval(call: Call, own: VerifiedInstance, seen: Look, state: Removing): Promise<Step> {
  const followed = await awaitGone(call, own, seen.version);
  switch (followed.kind) {
    case "gone":
      call.lastSeen.close(followed.last.fence.uid);
      if (mayBeAlive(followed.last)) return unconfirmed(call);
      noteGone(state.gone, followed.last);
      return { kind: "look" };
    case "look":
      return followed.troubled ? pauseThenLook(call, followed.afterMs) : { kind: "look" };
    case "reached":
      return { kind: "look" };
    case "deadline":
    case "interrupted":
      return followed;
    default:
      return followed satisfies never;
  }
}

/** Pauses before another look, or says that no time is left. */
export async function pauseThenLook(call: Call, atLeastMs: number | null): Promise<Step> {
  if (await call.pause(atLeastMs)) return { kind: "look" };
  return timeIsOver(call);
}

/** Why, in the words of the rule. */
function reasonOf({ ground }: DeleteAction): string {
  switch (ground) {
    case "terminated":
      return "it has ended";
    case "provablyBroken":
      return "it can provably never start";
    case "intentChanged":
      return "it never started and the declaration has changed";
    case "stop":
      return "a person asked for it";
    default:
      return ground satisfies never;
  }
}
