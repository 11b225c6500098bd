/** The loop of a stop: a person's explicit word ends the instance, fenced and graceful, and waits until nothing of it is left. */
import type { CallPorts, Subject } from "./call.ts";
import { Call } from "./call.ts";
import { authoriseStop } from "./classify.ts";
import { collectGone } from "./collect.ts";
import * as conditions from "./conditions.ts";
import { confirmGone } from "./disappearance.ts";
import type { Attempt } from "./identity.ts";
import type { CallEnd, Look } from "./look.ts";
import { isEnd, look } from "./look.ts";
import type { VerifiedInstance } from "./observation.ts";
import type { StopOutcome } from "./outcome.ts";
import type { Removing, Step } from "./remove.ts";
import { afterRemoval, remove } from "./remove.ts";

type Stopped = { readonly kind: "stopped" } | { readonly kind: "nothing" };

/** Stops the agent. A second stop is a no-op, a stop of nothing is a success. Throws only on a bug. */
export async function stopAgent(subject: Subject, ports: CallPorts): Promise<StopOutcome> {
  const call = new Call(subject, ports, conditions.looking);
  const state: Removing = { removedUid: null, gone: new Set() };
  const end = await empty(call, state);
  if (end.kind === "stopped") await collectGone(call, state.gone);
  return answer(call, end);
}

async function empty(call: Call, state: Removing): Promise<Stopped | CallEnd> {
  let meant: ReadonlyMap<string, Attempt | null> | null = null;
  for (;;) {
    const seen = await look(call);
    if (isEnd(seen)) return seen;
    const live = seen.own === null ? seen.duplicates : [seen.own, ...seen.duplicates];
    if (meant === null && live.length === 0) return { kind: "nothing" };
    // A newer instance is somebody's newer start: the person asked for the end of what was there.
    meant ??= new Map(live.map(({ fence, attempt }) => [fence.uid, attempt]));
    const next = live.find(({ fence }) => meant?.has(fence.uid) === true) ?? null;
    const vanished = await confirmGone(call, next);
    if (vanished !== null) return vanished;
    if (next === null) {
      // Also where no hint has told of the end: their Secrets may follow.
      for (const attempt of meant.values()) if (attempt !== null) state.gone.add(attempt);
      return { kind: "stopped" };
    }
    call.lastSeen.note(next, seen.version);
    const step = await stopOne(call, next, seen, state);
    if (step.kind !== "look") return step;
  }
}

function stopOne(call: Call, own: VerifiedInstance, seen: Look, state: Removing): Promise<Step> {
  if (own.startup.kind === "cannotTell") {
    const found = conditions.finding(call.subject.agent, { kind: "cannotTell", cause: own.startup.cause });
    return Promise.resolve({ kind: "reported", condition: found });
  }
  if (own.deletion !== null) return afterRemoval(call, own, seen, state);
  return remove(call, authoriseStop(own), own, seen, state);
}

function answer(call: Call, end: Stopped | CallEnd): StopOutcome {
  const { agent, deadlineMs } = call.subject;
  const told = { agentId: call.name, scope: call.substrate.scope, actions: call.actions, requests: call.requests };
  switch (end.kind) {
    case "stopped":
    case "nothing":
      call.say("end", end.kind, end.kind === "nothing" ? "there was nothing to stop" : `${call.name} has ended`);
      return { ...told, outcome: end.kind, condition: null };
    case "deadline": {
      const condition = conditions.notConfirmed("stop", agent, deadlineMs, call.condition);
      call.say("end", condition.code, condition.message);
      return { ...told, outcome: "notConfirmed", condition };
    }
    case "interrupted": {
      const condition = conditions.interrupted(agent);
      call.say("end", condition.code, condition.message);
      return { ...told, outcome: "interrupted", condition };
    }
    case "refused":
    case "reported":
    case "worldMoved":
      call.say("end", end.condition.code, end.condition.message);
      return { ...told, outcome: end.kind, condition: end.condition };
    default:
      return end satisfies never;
  }
}
