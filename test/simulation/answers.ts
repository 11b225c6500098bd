/** Whether what a call answered was true: P5, and every other outcome against what the call had been told. */
import type { CallView, Outcome } from "./call-view.ts";
import type { Promises } from "./promises.ts";
import { isOurs, mayRun, showsRunning } from "./promises.ts";

/** Milliseconds by which a node's report may lag behind what runs there. */
const reportLagMs = 3_001;
/** Milliseconds that a call may need beyond its deadline, for requests that it had sent before. */
const lastRequestsMs = 150_000;

const pullCodes = new Set([
  "unauthorized",
  "manifestUnknown",
  "archMismatch",
  "deniedOrAbsent",
  "registryMisconfigured",
  "unsupportedManifest",
  "signatureInvalid",
  "neverPull",
]);

export interface Ended {
  readonly view: CallView;
  readonly outcome: Outcome;
  readonly promises: Promises;
  /** By the caller's own clock. */
  readonly tookMs: number;
  readonly interrupted: boolean;
  /** Refusals that its requests were answered with. */
  readonly refusals: number;
  /** Its node cannot be reached: what the store shows may be old. */
  readonly isLost: (uid: string) => boolean;
}

export function checkAnswer(ended: Ended): void {
  const { view, outcome, promises, tookMs } = ended;
  const false_ = (why: string): void => promises.broken("answer", `${view.who} answered ${outcome.outcome}: ${why}`);
  if (tookMs > view.deadlineMs + view.settleMs + lastRequestsMs) false_(`${Math.round(tookMs)} ms after its beginning`);
  if (outcome.requests !== view.requests) false_(`it counts ${outcome.requests} requests, ${view.requests} were made`);
  if (view.journal.get("end") !== 1) false_(`its journal tells ${view.journal.get("end") ?? 0} ends`);
  if (view.created && !view.journal.has("create")) false_("its journal does not tell of its create");
  if (view.removals.size > 0 && !view.journal.has("delete")) false_("its journal does not tell of its delete");
  const foreign = outcome.outcome === "refused" && outcome.condition?.code === "foreignObject";
  if (view.foreignHolder && !foreign) false_("something foreign holds the name");
  if (view.lost && !view.created && !view.unknownSent && view.ownSecret?.fence !== null && !view.tookBack)
    promises.broken("P6", `${view.who} lost and left its own Secret behind`);
  switch (outcome.outcome) {
    case "started":
    case "alreadyRunning":
      return checkRunning(ended);
    case "stopped":
    case "nothing":
      return checkStopped(ended);
    case "notConfirmed":
      if (tookMs < view.deadlineMs) false_(`after ${Math.round(tookMs)} ms of ${view.deadlineMs}`);
      return;
    case "interrupted":
      if (!ended.interrupted) false_("nobody interrupted it");
      return;
    case "refused":
    case "reported":
    case "worldMoved":
      return checkCondition(ended, false_);
    default:
      return outcome satisfies never;
  }
}

function checkRunning({ view, outcome, promises, isLost }: Ended): void {
  const false_ = (why: string): void => promises.broken("P5", `${view.who} answered ${outcome.outcome}: ${why}`);
  const { latest } = view;
  if (latest === null) return false_("it has never seen the instance");
  const { instance, at } = latest;
  if (!isOurs(instance, view.identity)) false_("what it saw is foreign");
  if (!showsRunning(instance)) false_("what it saw last is not running");
  if (instance.deletion !== null) false_("what it saw last is marked for deletion");
  if (!promises.ranSince(instance.fence.uid, at - reportLagMs) && !isLost(instance.fence.uid))
    false_("its container ran at no moment since it last looked");
  const recorded = instance.annotations["moorage.dev/create-intent"];
  const scheme = recorded === undefined || recorded.startsWith("m1:");
  const intent = !scheme ? "notComparable" : recorded === view.desired ? "current" : "diverged";
  if ("intent" in outcome && outcome.intent !== intent) false_(`its intent is ${intent}, not ${outcome.intent}`);
  const own = view.attempt !== null && instance.attempt === view.attempt;
  if (own !== (outcome.outcome === "started")) false_(own ? "this call created it" : "this call did not create it");
}

function checkStopped({ view, outcome, promises }: Ended): void {
  const false_ = (why: string): void => promises.broken("answer", `${view.who} answered ${outcome.outcome}: ${why}`);
  const present = view.byName.get(view.name);
  const ours = present !== undefined && isOurs(present, view.identity);
  if (outcome.outcome === "nothing" && (ours || view.removals.size > 0)) false_("there was an instance");
  if (outcome.outcome === "stopped" && !view.sawOurs) false_("no read has shown an instance");
  if (outcome.outcome === "stopped" && ours && view.removals.has(present.fence.uid))
    false_("the instance is still there");
  for (const uid of view.removals) {
    const last = view.removed.get(uid) ?? view.newest.get(uid);
    if (last !== undefined && mayRun(last)) false_(`${uid} was last seen running`);
  }
}

/** Conditions that say something about the world must have been seen by this call. */
function checkCondition({ view, outcome, refusals }: Ended, false_: (why: string) => void): void {
  const code = outcome.condition?.code;
  const own = view.latest?.instance;
  const container = own?.evidence.container;
  if (code === undefined) return false_("without a condition");
  if (pullCodes.has(code)) {
    if (container?.state !== "waiting" || container.suspicion.kind !== "pull") false_("no pull failure was seen");
    return;
  }
  switch (code) {
    case "cannotTell":
      if (container?.state !== "unjudgeable") false_("what it saw can be judged");
      return;
    case "foreignObject":
      if (!view.foreignHolder) false_("nothing foreign holds the name");
      return;
    case "duplicateIdentity":
      if (![...view.byName.values()].some((other) => other.name !== view.name && isOurs(other, view.identity)))
        false_("its last read shows no other instance of this identity");
      return;
    case "removedUnconfirmed":
      if (!view.everRan) false_("nothing was seen running");
      return;
    case "quotaExceeded":
    case "forbidden":
      if (refusals === 0) false_("nothing was refused");
      return;
    default:
      if (outcome.outcome === "refused" && refusals === 0) false_("nothing was refused");
  }
}
