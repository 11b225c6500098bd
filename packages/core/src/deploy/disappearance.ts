/** Waiting until an instance is really gone, and telling a confirmed end from an object that vanished while its process ran. */
import type { Version } from "../ports/substrate.ts";
import type { Call } from "./call.ts";
import * as conditions from "./conditions.ts";
import type { Followed } from "./follow.ts";
import { follow } from "./follow.ts";
import type { Attempt } from "./identity.ts";
import { mayBeAlive } from "./last-seen.ts";
import type { CallEnd } from "./look.ts";
import type { VerifiedInstance } from "./observation.ts";

/** Milliseconds in which a watch from an older version replays a removal that happened since. */
const replayMs = 2_000;

/**
 * A read shows another incarnation, or none. Are the ends of those seen before confirmed? When one was last seen alive,
 * the watch is asked once more for its removal, which carries its last state.
 */
export async function confirmGone(call: Call, present: VerifiedInstance | null): Promise<CallEnd | null> {
  for (const { instance, version } of call.lastSeen.absent(present?.fence.uid ?? null)) {
    const { uid } = instance.fence;
    call.lastSeen.close(uid);
    if (!mayBeAlive(instance)) continue;
    const followed = await follow(
      call,
      { from: version, uid, judged: new Set(), judge: () => "goOn", alone: false },
      replayMs,
    );
    if (followed.kind === "interrupted") return followed;
    if (followed.kind !== "gone" || mayBeAlive(followed.last)) return unconfirmed(call);
  }
  return null;
}

/** Nobody can want the Secret of an attempt any more whose instance was seen gone, and not alive at the last. */
export function noteGone(gone: Set<Attempt>, last: VerifiedInstance): void {
  if (last.attempt !== null && !mayBeAlive(last)) gone.add(last.attempt);
}

export function unconfirmed(call: Call): CallEnd {
  return { kind: "reported", condition: conditions.removedUnconfirmed(call.subject.agent, call.name) };
}

/** Follows an instance that is marked for deletion until it is gone, or until another look is needed. */
export async function awaitGone(call: Call, instance: VerifiedInstance, from: Version): Promise<Followed> {
  call.waitFor(conditions.disappearing(call.subject.agent, instance));
  return follow(call, {
    from,
    uid: instance.fence.uid,
    alone: true,
    judged: new Set([instance.fence.resourceVersion]),
    judge: (changed) => {
      if (changed.deletion === null)
        return changed.fence.resourceVersion === instance.fence.resourceVersion ? "goOn" : "look";
      call.waitFor(conditions.disappearing(call.subject.agent, changed));
      return "goOn";
    },
  });
}
