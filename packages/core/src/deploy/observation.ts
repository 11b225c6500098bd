/** What a read found: decoded objects, and the verification step that alone makes a `VerifiedInstance`. */
import type { Attempt, Identity } from "./identity.ts";
import { instanceName } from "./identity.ts";
import type { RecordedIntent } from "./intent.ts";
import type { Marks, Notes } from "./marks.ts";
import { foreignReason, readIntent, readNotes } from "./marks.ts";
import type { BindingProfile } from "./profile.ts";
import type { AbsentSecrets, Evidence, NodeLost, Startup } from "./startup.ts";
import { decodeStartup } from "./startup.ts";

declare const verified: unique symbol;

/** UID and resourceVersion of one observation: the only thing that a destructive call may carry. */
export interface Fence {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What holds a deletion up, where something does. */
export interface Deletion {
  /** ISO 8601 by the substrate's clock, or null. */
  readonly since: string | null;
  readonly finalizers: readonly string[];
}

/** An instance as a substrate decoded it; nobody has looked yet whose it is. */
export interface ObservedInstance extends Marks {
  readonly name: string;
  readonly fence: Fence;
  /** Not null: marked for deletion. */
  readonly deletion: Deletion | null;
  readonly evidence: Evidence;
  /** Of the Secret that it references; null when it references none of that form. */
  readonly attempt: Attempt | null;
  /** When the container started, ISO 8601; for people alone. */
  readonly startedAt: string | null;
}

/** An attempt's Secret as a substrate decoded it. */
export interface ObservedSecret extends Marks {
  readonly name: string;
  readonly fence: Fence;
  /** Milliseconds since 1970 by the substrate's clock; null when absent or unreadable. */
  readonly createdAt: number | null;
}

/** An instance whose marker and full identity match. Only `verify` makes one. */
export interface VerifiedInstance {
  readonly [verified]: true;
  readonly name: string;
  readonly fence: Fence;
  readonly deletion: Deletion | null;
  readonly startup: Startup;
  readonly recorded: RecordedIntent;
  readonly attempt: Attempt | null;
  readonly notes: Notes;
  readonly nodeLost: NodeLost | null;
  readonly startedAt: string | null;
}

export type Verification =
  | { readonly kind: "verified"; readonly instance: VerifiedInstance }
  | { readonly kind: "foreign"; readonly name: string; readonly reason: string };

/** Whose object is it? Marker and full identity must both match; anything less is foreign. */
export function verify(
  observed: ObservedInstance,
  profile: BindingProfile,
  identity: Identity,
  absent: AbsentSecrets = new Set(),
): Verification {
  const reason = foreignReason(observed, profile, identity);
  if (reason !== null) return { kind: "foreign", name: observed.name, reason };
  const instance: Omit<VerifiedInstance, typeof verified> = {
    name: observed.name,
    fence: observed.fence,
    deletion: observed.deletion,
    startup: decodeStartup(observed.evidence, absent),
    recorded: readIntent(observed, profile),
    attempt: observed.attempt,
    notes: readNotes(observed, profile),
    nodeLost: observed.evidence.nodeLost,
    startedAt: observed.startedAt,
  };
  return { kind: "verified", instance: instance as VerifiedInstance };
}

/** One read, sorted: the instance under our name, live ones of ours elsewhere, ended ones elsewhere. */
export interface Survey {
  readonly own: VerifiedInstance | null;
  readonly duplicates: readonly VerifiedInstance[];
  readonly ended: readonly VerifiedInstance[];
}

/** Sorts what a read found for one identity. Foreign objects are left out: nothing ever touches them. */
export function survey(
  instances: readonly ObservedInstance[],
  profile: BindingProfile,
  identity: Identity,
  absent: AbsentSecrets = new Set(),
): Survey {
  const ownName = instanceName(profile, identity);
  let own: VerifiedInstance | null = null;
  const duplicates: VerifiedInstance[] = [];
  const ended: VerifiedInstance[] = [];
  for (const observed of instances) {
    const result = verify(observed, profile, identity, absent);
    if (result.kind === "foreign") continue;
    if (result.instance.name === ownName) own = result.instance;
    else if (result.instance.startup.kind === "terminated") ended.push(result.instance);
    else duplicates.push(result.instance);
  }
  return { own, duplicates, ended };
}
