/** What one call has been told so far, kept apart from the call itself: the ground on which its requests are judged. */
import type {
  Attempt,
  Fence,
  Hint,
  Identity,
  IntentDigest,
  ObservedInstance,
  ObservedSecret,
  StartOutcome,
  StopOutcome,
} from "@moorage/core";
import { isOurs, mayRun, showsEnded } from "./promises.ts";

export interface CallView {
  readonly kind: "start" | "stop";
  readonly who: string;
  readonly name: string;
  readonly identity: Identity;
  /** null for a stop. */
  readonly desired: IntentDigest | null;
  readonly deadlineMs: number;
  readonly settleMs: number;
  /** On the caller's own clock. */
  readonly began: number;
  /** Counts what was sent and answered, so that "after" has a meaning. */
  order: number;
  reading: { readonly sent: number; readonly instances: readonly ObservedInstance[]; readonly at: number } | null;
  byName: ReadonlyMap<string, ObservedInstance>;
  listing: {
    readonly answered: number;
    readonly secrets: readonly ObservedSecret[];
    readonly time: number | null;
  } | null;
  /** Secrets that a read has just shown as absent, with the order of that answer. */
  readonly absent: Map<string, number>;
  /** The newest that the call knows of each incarnation under its name, by version. */
  readonly newest: Map<string, ObservedInstance>;
  /** Incarnations whose removal the call was told of, and what they were then. */
  readonly removed: Map<string, ObservedInstance>;
  /** The newest information about the name: which incarnation, when it was true. */
  latest: { readonly instance: ObservedInstance; readonly at: number } | null;
  /** Attempts by incarnation, and those whose incarnation a later read did not show any more. */
  readonly attempts: Map<string, Attempt>;
  readonly gone: Set<Attempt>;
  attempt: Attempt | null;
  ownSecret: { readonly name: string; readonly fence: Fence | null } | null;
  sentCreate: boolean;
  created: boolean;
  /** Another caller's instance holds the name for which this call has sent a create. */
  lost: boolean;
  removals: Set<string>;
  /** A create was sent and nobody knows what came of it: only another look may follow. */
  unknownCreate: boolean;
  /** Names whose fence was refused since the last look. */
  readonly refusedFences: Set<string>;
  foreignHolder: boolean;
  /** The create's outcome was unknown at least once. */
  unknownSent: boolean;
  /** The call has asked for the removal of its own Secret. */
  tookBack: boolean;
  /** A read has shown something of ours. */
  sawOurs: boolean;
  /** When the last request was sent or answered, on the caller's own clock. */
  quietSince: number;
  /** How many journal entries of each step it has made, and which of its requests should have one. */
  readonly journal: Map<string, number>;
  /** Something of ours was seen that may have run. */
  everRan: boolean;
  requests: number;
}

export function newCallView(
  given: Pick<CallView, "kind" | "who" | "name" | "identity" | "desired" | "deadlineMs" | "settleMs" | "began">,
): CallView {
  return {
    ...given,
    order: 0,
    reading: null,
    byName: new Map(),
    listing: null,
    absent: new Map(),
    newest: new Map(),
    removed: new Map(),
    latest: null,
    attempts: new Map(),
    gone: new Set(),
    attempt: null,
    ownSecret: null,
    sentCreate: false,
    created: false,
    lost: false,
    removals: new Set(),
    unknownCreate: false,
    refusedFences: new Set(),
    foreignHolder: false,
    unknownSent: false,
    tookBack: false,
    sawOurs: false,
    quietSince: given.began,
    journal: new Map(),
    everRan: false,
    requests: 0,
  };
}

/** A most-recent read has answered. */
export function noteReading(view: CallView, sent: number, instances: readonly ObservedInstance[], at: number): void {
  view.reading = { sent, instances, at };
  view.byName = new Map(instances.map((instance) => [instance.name, instance]));
  view.unknownCreate = false;
  view.refusedFences.clear();
  const ours = instances.filter((seen) => isOurs(seen, view.identity));
  if (ours.some(mayRun)) view.everRan = true;
  if (ours.some((seen) => seen.name === view.name || !showsEnded(seen))) view.sawOurs = true;
  for (const { fence, attempt } of instances) if (attempt !== null) view.attempts.set(fence.uid, attempt);
  for (const [uid, attempt] of view.attempts)
    if (!instances.some(({ fence }) => fence.uid === uid)) view.gone.add(attempt);
  for (const instance of instances) noteInstance(view, instance, at);
}

/** A read or a hint has told of one instance. */
export function noteInstance(view: CallView, instance: ObservedInstance, at: number): void {
  if (instance.name !== view.name || !isOurs(instance, view.identity)) return;
  if (mayRun(instance)) view.everRan = true;
  const known = view.newest.get(instance.fence.uid);
  if (known === undefined || Number(known.fence.resourceVersion) <= Number(instance.fence.resourceVersion))
    view.newest.set(instance.fence.uid, instance);
  if (
    view.latest === null ||
    Number(view.latest.instance.fence.resourceVersion) <= Number(instance.fence.resourceVersion)
  )
    view.latest = { instance, at };
  if (view.attempt !== null && instance.attempt === view.attempt) view.created = true;
  if (view.sentCreate && instance.attempt !== view.attempt) view.lost = true;
}

export function noteHint(view: CallView, hint: Hint, at: number): void {
  if (hint.kind === "over") return;
  if (hint.kind === "changed") {
    // No call reads while it follows: a later read that does not show it says that it is gone.
    const { fence, attempt } = hint.instance;
    if (attempt !== null) view.attempts.set(fence.uid, attempt);
    return noteInstance(view, hint.instance, at);
  }
  if (mayRun(hint.last)) view.everRan = true;
  view.removed.set(hint.last.fence.uid, hint.last);
  if (hint.last.attempt !== null) view.gone.add(hint.last.attempt);
}

export type Outcome = StartOutcome | StopOutcome;
