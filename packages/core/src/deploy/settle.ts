/** A short watch over an agent that has just started, so that one that ends at once is told as that. */
import type { Version } from "../ports/substrate.ts";
import type { Call } from "./call.ts";
import * as conditions from "./conditions.ts";
import { unconfirmed } from "./disappearance.ts";
import type { Verdict } from "./follow.ts";
import { follow } from "./follow.ts";
import { mayBeAlive } from "./last-seen.ts";
import type { CallEnd } from "./look.ts";
import type { VerifiedInstance } from "./observation.ts";

/** `held`: it is still running after that many milliseconds, as far as anyone told. `look`: only a read can tell. */
export type Settled = { readonly kind: "held" } | Unsettled | CallEnd;

interface Unsettled {
  readonly kind: "look";
  /** What is known if no read answers any more; null: it was running. */
  readonly otherwise: CallEnd | null;
}

/** Watches it for that many milliseconds. */
export async function settle(
  call: Call,
  found: { readonly instance: VerifiedInstance; readonly version: Version },
  ms: number,
  judged: Set<string>,
): Promise<Settled> {
  const { uid, resourceVersion } = found.instance.fence;
  const until = call.clock.now() + ms;
  call.waitFor(conditions.settling(call.subject.agent));
  judged.add(resourceVersion);
  let marked = false;
  const judge = (instance: VerifiedInstance): Verdict => {
    marked ||= instance.deletion !== null;
    return changed(instance);
  };
  const followed = await follow(call, { from: found.version, uid, judged, judge, alone: true }, ms);
  const { agent } = call.subject;
  switch (followed.kind) {
    case "reached":
      return fallen(agent, followed.instance);
    case "gone":
      return mayBeAlive(followed.last) ? unconfirmed(call) : stoppedAtOnce(agent);
    case "look":
      if (marked) return { kind: "look", otherwise: stoppedAtOnce(agent) };
      return call.clock.now() < until ? { kind: "look", otherwise: null } : { kind: "held" };
    case "deadline":
    case "interrupted":
      return { kind: "held" };
    default:
      return followed satisfies never;
  }
}

/** Anything but running on ends the watch. A mark may be a stop or a removal by force: only a read tells which. */
function changed({ startup, deletion }: VerifiedInstance): Verdict {
  if (startup.kind !== "started") return "reached";
  return deletion === null ? "goOn" : "look";
}

function fallen(agent: string, { startup, deletion }: VerifiedInstance): CallEnd {
  if (startup.kind === "terminated") return { kind: "reported", condition: conditions.ended(agent, startup.ending) };
  if (deletion !== null) return stoppedAtOnce(agent);
  const what = "it started, and was interrupted right after that";
  return { kind: "worldMoved", condition: conditions.worldMoved(agent, what) };
}

function stoppedAtOnce(agent: string): CallEnd {
  const what = "somebody stopped it right after it had started";
  return { kind: "worldMoved", condition: conditions.worldMoved(agent, what) };
}
