/** The loop of a start: look, decide, carry out one action, look again, until the agent runs or the call has to end. */
import type { Digest } from "../ports/digest.ts";
import type { Admission } from "./admission.ts";
import type { CallPorts, Subject } from "./call.ts";
import { Call, unavailableCondition } from "./call.ts";
import type { Action } from "./classify.ts";
import { classify, ruleOf } from "./classify.ts";
import { collect } from "./collect.ts";
import type { Condition } from "./conditions.ts";
import * as conditions from "./conditions.ts";
import type { Blueprint } from "./create.ts";
import { create } from "./create.ts";
import { confirmGone, noteGone } from "./disappearance.ts";
import type { Verdict } from "./follow.ts";
import { follow } from "./follow.ts";
import type { Attempt } from "./identity.ts";
import type { IntentComparison, IntentDigest, IntentTemplate } from "./intent.ts";
import { compareIntent, intentDigest } from "./intent.ts";
import { withinLimits } from "./limits.ts";
import type { CallEnd, Look } from "./look.ts";
import { isEnd, look, timeIsOver } from "./look.ts";
import type { Notes } from "./marks.ts";
import type { VerifiedInstance } from "./observation.ts";
import type { NotRunning, Running, StartOutcome } from "./outcome.ts";
import type { Step } from "./remove.ts";
import { afterRemoval, pauseThenLook, remove } from "./remove.ts";
import { settle } from "./settle.ts";

export interface StartRequest extends Subject {
  readonly template: IntentTemplate;
  readonly notes: Notes;
  /** Values of the secret environment, by variable. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Milliseconds to go on watching an agent that this call started; 0: none. */
  readonly settleMs: number;
  /** Why nothing may be created from this request, such as a secret that is missing. A start of what runs never asks. */
  readonly obstacle?: Condition | null;
  /** Asked before anything is removed or created. */
  readonly admission?: Admission;
}

export interface StartPorts extends CallPorts {
  readonly digest: Digest;
}

/** What the loop knows of its own doing. */
interface Progress {
  role: "free" | "creator" | "loser";
  removedUid: string | null;
  /** Attempts whose instance this call has seen gone. */
  readonly gone: Set<Attempt>;
  readonly judged: Set<string>;
  /** Whether a read has answered since this was last put to false. */
  looked: boolean;
  /** What the call has last compared. */
  intent: IntentComparison;
}

type Plan = Blueprint & Pick<StartRequest, "obstacle">;

type Found = { readonly kind: "running"; readonly instance: VerifiedInstance; readonly version: string };

/** Converges to at most one live instance of this identity, and says honestly what happened. Throws only on a bug. */
export async function startAgent(request: StartRequest, ports: StartPorts): Promise<StartOutcome> {
  const desired = intentDigest(request.template, ports.digest);
  const call = new Call(request, ports, conditions.looking);
  const progress: Progress = {
    role: "free",
    removedUid: null,
    gone: new Set(),
    judged: new Set(),
    looked: false,
    intent: "current",
  };
  const blueprint: Plan = { ...request, intent: desired };
  let end = await converge(call, blueprint, progress);
  if (end.kind === "running" && request.settleMs > 0 && isOurs(call, end.instance)) {
    const settled = await settle(call, end, request.settleMs, progress.judged);
    progress.looked = false;
    const after = settled.kind === "look" ? await converge(call, blueprint, progress) : settled;
    // Nobody answers any more, or nobody wants to know: what was seen running has been seen running. A read that shows
    // something else since is an answer, also when the time is over after it.
    const isOutOfTime = after.kind === "deadline" || after.kind === "interrupted";
    if (after.kind !== "held" && (!isOutOfTime || progress.looked)) end = after;
    else if (settled.kind === "look" && settled.otherwise !== null) end = settled.otherwise;
  }
  return answer(call, progress, desired, end);
}

async function converge(call: Call, blueprint: Plan, progress: Progress): Promise<Found | CallEnd> {
  for (;;) {
    const seen = await look(call);
    if (seen.kind !== "seen") return seen;
    progress.looked = true;
    const { own } = seen;
    const vanished = await confirmGone(call, own);
    if (vanished !== null) return vanished;
    if (seen.duplicates.length > 0) {
      const names = seen.duplicates.map(({ name }) => name);
      return { kind: "refused", condition: conditions.duplicateIdentity(call.subject.agent, names) };
    }
    if (own !== null) {
      progress.intent = compareIntent(own.recorded, blueprint.intent);
    }
    const action = decide(call, progress, own, blueprint);
    const step = await perform(call, action, seen, blueprint, progress);
    if (step.kind !== "look") return step;
  }
}

/** The table's action, within what this call may still do: with an obstacle it neither removes nor creates. */
function decide(call: Call, progress: Progress, own: VerifiedInstance | null, blueprint: Plan): Action | CallEnd {
  const { agent } = call.subject;
  const { intent, obstacle = null } = blueprint;
  const action = classify(own, intent);
  const permitted = withinLimits(action, own, progress, call.attempt, intent, agent);
  const stuck = obstacle !== null && (permitted.kind === "create" || permitted.kind === "delete");
  const decided: Action | CallEnd = stuck ? { kind: "refused", condition: obstacle } : permitted;
  call.say(
    "decide",
    decided.kind,
    own === null ? "no instance found" : `${own.name} is ${own.startup.kind}`,
    ruleOf(action),
  );
  return decided;
}

async function perform(
  call: Call,
  action: Action | CallEnd,
  seen: Look,
  plan: Plan,
  progress: Progress,
): Promise<Step | Found> {
  const { own } = seen;
  if (isEnd(action)) return action;
  if (action.kind === "create" || action.kind === "delete") {
    const admission = await admit(call, plan);
    if (isEnd(admission)) return admission;
    if (action.kind === "create") return performCreate(call, seen, admission.blueprint, progress);
  }
  if (own === null) throw new Error(`${action.kind} cannot follow from an empty read`);
  switch (action.kind) {
    case "noOp":
      return { kind: "running", instance: own, version: seen.version };
    case "delete":
      return remove(call, action, own, seen, progress);
    case "awaitDisappearance":
      return afterRemoval(call, own, seen, progress);
    case "observe":
      return observe(call, own, seen.version, plan.intent, progress);
    case "report":
      return { kind: "reported", condition: conditions.finding(call.subject.agent, action.finding) };
    default:
      return action satisfies never;
  }
}

/** The plan with what the admission wants recorded; or the end of the call, before anything has changed. */
async function admit(call: Call, plan: Plan): Promise<{ readonly kind: "admitted"; blueprint: Blueprint } | CallEnd> {
  for (;;) {
    const answer = (await plan.admission?.begin()) ?? { kind: "pass", notes: {} };
    switch (answer.kind) {
      case "pass":
        return { kind: "admitted", blueprint: { ...plan, notes: { ...plan.notes, ...answer.notes } } };
      case "refuse":
        call.say("decide", "refused", answer.condition.message);
        return { kind: "refused", condition: answer.condition };
      case "unavailable":
        call.waitFor(unavailableCondition(answer, call.substrate.scope));
        if (!(await call.pause(answer.retryAfterMs))) return timeIsOver(call);
        break;
      default:
        answer satisfies never;
    }
  }
}

async function performCreate(call: Call, seen: Look, blueprint: Blueprint, progress: Progress): Promise<Step> {
  if ((await collect(call, seen, progress.gone)) === "taken") return { kind: "look" };
  const created = await create(call, blueprint);
  if (created.kind === "lost") {
    progress.role = "loser";
    call.say("create", "lost", "another caller's instance holds the name: observing it");
    return { kind: "look" };
  }
  if (created.kind !== "created") return created;
  progress.role = "creator";
  call.waitFor({
    code: "created",
    message: "created; not started yet",
    hint: `run \`moorage explain ${call.subject.agent}\``,
  });
  return { kind: "look" };
}

/** Follows an instance that has not started yet; nothing is ever deleted from here. */
async function observe(
  call: Call,
  own: VerifiedInstance,
  from: string,
  desired: IntentDigest,
  progress: Progress,
): Promise<Step | Found> {
  // Events may come out of order, and one that has run before may be running in the older of two: then only a read tells.
  let ranBefore = false;
  const judge = (instance: VerifiedInstance): Verdict => {
    ranBefore ||= instance.startup.kind === "interrupted";
    progress.intent = compareIntent(instance.recorded, desired);
    const action = withinLimits(
      classify(instance, desired),
      instance,
      progress,
      call.attempt,
      desired,
      call.subject.agent,
    );
    if (action.kind === "noOp") return ranBefore ? "look" : "reached";
    if (action.kind !== "observe") return "look";
    call.waitFor(observing(call.subject.agent, action));
    return "goOn";
  };
  progress.judged.add(own.fence.resourceVersion);
  judge(own);
  const followed = await follow(call, { from, uid: own.fence.uid, judged: progress.judged, judge, alone: true });
  switch (followed.kind) {
    case "reached":
      return { kind: "running", instance: followed.instance, version: from };
    case "gone":
      noteGone(progress.gone, followed.last);
      return { kind: "look" };
    case "look":
      return followed.troubled ? pauseThenLook(call, followed.afterMs) : { kind: "look" };
    case "deadline":
    case "interrupted":
      return followed;
    default:
      return followed satisfies never;
  }
}

function observing(agent: string, action: Extract<Action, { kind: "observe" }>): Condition {
  return action.intent === "notComparable"
    ? conditions.notComparable(agent, action.cause)
    : conditions.starting(agent, action.cause);
}

/** Also when the call had given its create up for lost: the attempt on the instance tells. */
function isOurs(call: Call, instance: VerifiedInstance): boolean {
  return instance.attempt !== null && instance.attempt === call.attempt;
}

function answer(call: Call, progress: Progress, desired: IntentDigest, end: Found | CallEnd): StartOutcome {
  const { agent, deadlineMs } = call.subject;
  const told = { agentId: call.name, scope: call.substrate.scope, actions: call.actions, requests: call.requests };
  if (end.kind === "running") {
    const { instance } = end;
    const lost = instance.startup.kind === "started" ? instance.startup.nodeUnreachable : null;
    const outcome = isOurs(call, instance) ? "started" : "alreadyRunning";
    if (call.actions.length === 0) call.did("noOp", "it is running: nothing was changed");
    call.say("end", outcome, `${call.name} is running`);
    const running: Running = {
      ...told,
      outcome,
      intent: compareIntent(instance.recorded, desired),
      attempt: instance.attempt,
      startedAt: instance.startedAt,
      condition: lost === null ? null : conditions.nodeUnreachable(lost),
    };
    return running;
  }
  const outcome = end.kind === "deadline" ? "notConfirmed" : end.kind;
  const condition = endCondition(call, end, agent, deadlineMs);
  call.say("end", condition.code, condition.message);
  const notRunning: NotRunning = {
    ...told,
    outcome,
    intent: progress.intent,
    attempt: call.attempt,
    startedAt: null,
    condition,
    waitedFor: end.kind === "deadline" ? call.condition.code : null,
  };
  return notRunning;
}

function endCondition(call: Call, end: CallEnd, agent: string, deadlineMs: number): Condition {
  if (end.kind === "deadline") return conditions.notConfirmed("deploy", agent, deadlineMs, call.condition);
  return end.kind === "interrupted" ? conditions.interrupted(agent) : end.condition;
}
