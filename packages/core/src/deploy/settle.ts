/** A short watch over an agent that has just started, so that one that ends at once is told as that. */
import type { Version } from "../ports/substrate.ts";
import type { Call } from "./call.ts";
import * as conditions from "./conditions.ts";
import { mayBeAlive, unconfirmed } from "./disappearance.ts";
import { follow } from "./follow.ts";
import type { CallEnd } from "./look.ts";
import type { VerifiedInstance } from "./observation.ts";

/** Null: it is still running after that many milliseconds, or the watch had nothing to say against it. */
export async function settle(
  call: Call,
  instance: VerifiedInstance,
  from: Version,
  ms: number,
): Promise<CallEnd | null> {
  const followed = await follow(
    call,
    {
      from,
      uid: instance.fence.uid,
      judged: new Set([instance.fence.resourceVersion]),
      judge: ({ startup }) => (startup.kind === "terminated" ? "reached" : "goOn"),
    },
    ms,
  );
  const { agent } = call.subject;
  if (followed.kind === "reached" && followed.instance.startup.kind === "terminated") {
    return { kind: "reported", condition: conditions.ended(agent, followed.instance.startup.ending) };
  }
  if (followed.kind !== "gone") return null;
  if (mayBeAlive(followed.last)) return unconfirmed(call);
  return {
    kind: "worldMoved",
    condition: conditions.worldMoved(agent, "somebody stopped it right after it had started"),
  };
}
