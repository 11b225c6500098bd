/** Waiting until an instance is really gone, and telling a confirmed end from an object that vanished while its process ran. */
import type { Version } from "../ports/substrate.ts";
import type { Call } from "./call.ts";
import * as conditions from "./conditions.ts";
import type { Followed } from "./follow.ts";
import { follow } from "./follow.ts";
import type { CallEnd } from "./look.ts";
import type { VerifiedInstance } from "./observation.ts";

/** Milliseconds in which a watch from an older version replays a removal that happened since. */
const replayMs = 2_000;

/** What a call has last seen under the agent's name. */
export class LastSeen {
  #instance: VerifiedInstance | null = null;
  #version: Version | null = null;

  note(instance: VerifiedInstance, version: Version | null): void {
    this.#instance = instance;
    if (version !== null) this.#version = version;
  }

  /** A removal was seen: nothing is open about this incarnation any more. */
  settle(): void {
    this.#instance = null;
  }

  /**
   * A read shows another incarnation under the name, or none. Is the end of the one seen before confirmed? When it was
   * last seen alive, the watch is asked once more for its removal, which carries its last state.
   */
  async confirmGone(call: Call, present: VerifiedInstance | null): Promise<CallEnd | null> {
    const last = this.#instance;
    if (last === null || last.fence.uid === present?.fence.uid) return null;
    this.#instance = null;
    if (!mayBeAlive(last)) return null;
    if (this.#version !== null) {
      const followed = await follow(
        call,
        { from: this.#version, uid: last.fence.uid, judged: new Set(), judge: () => "goOn" },
        replayMs,
      );
      if (followed.kind === "interrupted") return followed;
      if (followed.kind === "gone" && !mayBeAlive(followed.last)) return null;
    }
    return unconfirmed(call);
  }
}

/** Whether its process may still run, as far as this observation tells. */
export function mayBeAlive({ startup }: VerifiedInstance): boolean {
  return startup.kind === "started" || startup.kind === "interrupted" || startup.kind === "cannotTell";
}

export function unconfirmed(call: Call): CallEnd {
  return { kind: "reported", condition: conditions.removedUnconfirmed(call.subject.agent, call.name) };
}

/** Follows an instance that is marked for deletion until it is gone, or until another look is needed. */
export async function awaitGone(
  call: Call,
  instance: VerifiedInstance,
  from: Version,
  lastSeen: LastSeen,
): Promise<Followed> {
  call.waitFor(conditions.disappearing(call.subject.agent, instance));
  return follow(call, {
    from,
    uid: instance.fence.uid,
    judged: new Set([instance.fence.resourceVersion]),
    judge: (changed) => {
      lastSeen.note(changed, null);
      if (changed.deletion === null)
        return changed.fence.resourceVersion === instance.fence.resourceVersion ? "goOn" : "look";
      call.waitFor(conditions.disappearing(call.subject.agent, changed));
      return "goOn";
    },
  });
}
