/** One look at the world: a most-recent read, what has to be confirmed for it, and the survey of both. */
import type { Version } from "../ports/substrate.ts";
import type { Call } from "./call.ts";
import { unavailableCondition } from "./call.ts";
import type { Condition } from "./conditions.ts";
import type { ObservedInstance, Survey } from "./observation.ts";
import { survey } from "./observation.ts";
import { refusalCondition } from "./refusal.ts";
import type { AbsentSecrets } from "./startup.ts";
import { secretToConfirm } from "./startup.ts";

export interface Look extends Survey {
  readonly kind: "seen";
  readonly instances: readonly ObservedInstance[];
  /** A follow from here misses nothing. */
  readonly version: Version;
}

/** Why a call ends without having reached what it was for. */
export type CallEnd =
  | { readonly kind: "deadline" }
  | { readonly kind: "interrupted" }
  | { readonly kind: "refused"; readonly condition: Condition }
  | { readonly kind: "reported"; readonly condition: Condition }
  | { readonly kind: "worldMoved"; readonly condition: Condition };

/** Whether this is how a call ends, and no action. */
export function isEnd<T extends { readonly kind: string }>(step: T | CallEnd): step is CallEnd {
  return ["deadline", "interrupted", "refused", "reported", "worldMoved"].includes(step.kind);
}

/**
 * Reads until something answers, with growing pauses, at most until the deadline. What the read makes suspicious is looked
 * into as well, unless only the names and attempts matter.
 */
export async function look(call: Call, confirms: "confirmed" | "asRead" = "confirmed"): Promise<Look | CallEnd> {
  const { profile, identity } = call.subject;
  for (;;) {
    if (call.signal.aborted) return { kind: "interrupted" };
    const reading = await call.substrate.readInstances(identity);
    if (reading.kind === "refused")
      return { kind: "refused", condition: refusalCondition(reading.refusal, call.subject.agent) };
    if (reading.kind === "read") {
      const absent = confirms === "asRead" ? new Set<string>() : await confirmAbsent(call, reading.instances);
      if (absent !== null) {
        call.progressed();
        const { instances, version } = reading;
        const found = survey(instances, profile, identity, absent);
        if (found.own !== null) call.lastSeen.note(found.own, version);
        return { kind: "seen", instances, version, ...found };
      }
    } else {
      call.waitFor(unavailableCondition(reading, call.substrate.scope));
    }
    const goOn = await call.pause(reading.kind === "unavailable" ? reading.retryAfterMs : null);
    if (!goOn) return timeIsOver(call);
  }
}

/** The end of a call that has no time for another try. */
export function timeIsOver(call: Call): CallEnd {
  return call.signal.aborted ? { kind: "interrupted" } : { kind: "deadline" };
}

/** Looks for the Secret that an instance of ours seems to miss. Null: nobody answered, so nothing is confirmed yet. */
async function confirmAbsent(call: Call, instances: readonly ObservedInstance[]): Promise<AbsentSecrets | null> {
  const absent = new Set<string>();
  const own = instances.find(({ name }) => name === call.name);
  const secret = own === undefined ? null : secretToConfirm(own.evidence);
  if (secret === null) return absent;
  const answer = await call.substrate.secretExists(secret);
  if (answer.kind === "absent") absent.add(secret);
  if (answer.kind === "refused") call.tolerate(answer.refusal);
  if (answer.kind === "unavailable") {
    call.waitFor(unavailableCondition(answer, call.substrate.scope));
    return null;
  }
  return absent;
}
