/** From a pod's JSON to an observed instance: our container by its name, everything else for the words alone. */
import type {
  Attempt,
  BindingProfile,
  Cause,
  ContainerEvidence,
  Evidence,
  NodeLost,
  ObservedInstance,
  ObservedSecret,
} from "@moorage/core";
import { parseAttempt } from "@moorage/core";
import { endedOverdue, endingOfContainer, endingOfPod, endingUnseen } from "./decode-ending.ts";
import { decodeMetadata } from "./decode-metadata.ts";
import type { Waiting } from "./decode-waiting.ts";
import { decodeWaiting } from "./decode-waiting.ts";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, listOf, textOf } from "./json-fields.ts";
import { conditionIn, isOver, named } from "./object-parts.ts";
import { schedulerWords } from "./why-unschedulable.ts";

/** Characters of the scheduler's words. */
const longestWords = 400;

/** Null when it has no name, UID or version, so that nothing could be fenced. */
export function decodePod(pod: Fields, profile: BindingProfile): ObservedInstance | null {
  const metadata = decodeMetadata(pod);
  if (metadata === null) return null;
  const { createdAt: _, ...observed } = metadata;
  const spec = fieldsOf(pod["spec"]);
  const status = fieldsOf(pod["status"]);
  const container = named(spec["containers"], profile.container);
  const { attempt, secret } = attemptOf(container, metadata.name);
  const decoding: Decoding = {
    spec,
    status,
    container,
    statuses: named(status["containerStatuses"], profile.container),
    secret,
    marked: metadata.deletion !== null,
  };
  const evidence: Evidence = {
    container: decodeContainer(decoding),
    phase: phaseOf(status["phase"]),
    nodeLost: nodeLostOf(spec, status),
  };
  return { ...observed, evidence, attempt, startedAt: startOf(decoding.statuses) };
}

/** Null when it has no name, UID or version. Its data is not looked at. */
export function decodeSecret(secret: Fields): ObservedSecret | null {
  const metadata = decodeMetadata(secret);
  if (metadata === null) return null;
  const { deletion: _, ...observed } = metadata;
  return observed;
}

interface Decoding {
  readonly spec: Fields;
  readonly status: Fields;
  /** Our container as it was asked for. */
  readonly container: Fields;
  /** Our container's status; empty while there is none. */
  readonly statuses: Fields;
  readonly secret: string | null;
  /** Whether its deletion was asked for. */
  readonly marked: boolean;
}

function decodeContainer(decoding: Decoding): ContainerEvidence {
  const { spec, status, statuses, marked } = decoding;
  const state = fieldsOf(statuses["state"]);
  if (isThere(state["running"])) return { state: "running" };
  const ofPod = endingOfPod(status);
  if (isThere(state["terminated"])) {
    const terminated = fieldsOf(state["terminated"]);
    const overdue = endedOverdue(spec, status, terminated);
    return { state: "terminated", ending: endingOfContainer(terminated, ofPod, marked, overdue) };
  }
  const waiting = waitingOf(decoding);
  if (isOver(status)) return { state: "terminated", ending: endingUnseen(ofPod, waiting.cause.message) };
  if (Object.keys(statuses).length === 0) return { state: "absent", cause: waiting.cause };
  const restarts = statuses["restartCount"];
  const ranBefore =
    isThere(fieldsOf(statuses["lastState"])["terminated"]) || (typeof restarts === "number" && restarts > 0);
  return { state: "waiting", ranBefore, ...waiting };
}

function isThere(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function waitingOf({ spec, status, container, statuses, secret }: Decoding): Waiting {
  const { reason, message } = fieldsOf(fieldsOf(statuses["state"])["waiting"]);
  const told = textOf(reason);
  const initializing = told === "PodInitializing" ? initCause(spec, status) : null;
  const unplaced = Object.keys(statuses).length === 0 ? placementCause(spec, status) : null;
  const cause = initializing ?? unplaced;
  if (cause !== null) return { cause, suspicion: { kind: "none" } };
  return decodeWaiting({
    reason: told,
    message: textOf(message) ?? "",
    image: textOf(container["image"]) ?? "",
    secret,
  });
}

/** Which init container is in the way, and how. None is of ours: another one put it there. */
function initCause(spec: Fields, status: Fields): Cause | null {
  for (const one of listOf(status["initContainerStatuses"]).map(fieldsOf)) {
    const state = fieldsOf(one["state"]);
    const ended = fieldsOf(state["terminated"]);
    const sideCar = named(spec["initContainers"], textOf(one["name"]) ?? "")["restartPolicy"] === "Always";
    if (isThere(state["running"]) && sideCar && one["started"] === true) continue;
    if (isThere(state["terminated"]) && ended["exitCode"] === 0) continue;
    const name = `the init container ${textOf(one["name"]) ?? ""}`;
    const code = "initializing";
    if (isThere(state["running"])) return { code, message: `${name} runs, and has to end first` };
    if (isThere(state["terminated"])) {
      const { exitCode } = endingOfContainer(ended, null, true);
      return { code: "initFailed", message: `${name} ended with exit code ${exitCode ?? "unknown"}` };
    }
    const waiting = fieldsOf(state["waiting"]);
    const image = textOf(one["image"]) ?? "";
    const reason = textOf(waiting["reason"]);
    const told = decodeWaiting({ reason, message: textOf(waiting["message"]) ?? "", image, secret: null });
    return { code, message: `${name} comes first: ${told.cause.message}` };
  }
  return null;
}

/** Where no node has begun with it: what the scheduler says, or which node has to begin. */
function placementCause(spec: Fields, status: Fields): Cause {
  const scheduled = conditionIn(status, "PodScheduled");
  if (scheduled["status"] === "False") {
    if (scheduled["reason"] === "SchedulingGated")
      return { code: "schedulingGated", message: "it is held back by a scheduling gate" };
    const words = schedulerWords(textOf(scheduled["message"]) ?? "") ?? "the scheduler does not say why";
    return { code: "unschedulable", message: `no node takes it: ${words.slice(0, longestWords)}` };
  }
  const node = textOf(spec["nodeName"]);
  return node === null
    ? { code: "unscheduled", message: "the scheduler has not placed it yet" }
    : { code: "scheduled", message: `the node ${node} has not begun with it yet` };
}

/** A phase that nobody knows is one in which nothing may be concluded. */
function phaseOf(value: unknown): Evidence["phase"] {
  switch (value) {
    case undefined:
    case null:
    case "":
    case "Pending":
      return "pending";
    case "Running":
      return "running";
    case "Succeeded":
      return "succeeded";
    case "Failed":
      return "failed";
    default:
      return "unknown";
  }
}

/**
 * When a node is lost, the node controller turns the pod's `Ready` to false and touches nothing else: a kubelet that
 * does so gives a reason, and takes `ContainersReady` along.
 */
function nodeLostOf(spec: Fields, status: Fields): NodeLost | null {
  const node = textOf(spec["nodeName"]);
  if (node === null) return null;
  const ready = conditionIn(status, "Ready");
  const turned =
    ready["status"] === "False" &&
    textOf(ready["reason"]) === null &&
    conditionIn(status, "ContainersReady")["status"] === "True";
  if (!turned && status["reason"] !== "NodeLost") return null;
  return { node, since: textOf(ready["lastTransitionTime"]) };
}

/**
 * The attempt whose Secret it references. Its own Secret is named after the pod. A pod under another name, such as a
 * copy that somebody made, needs that Secret too, but the Secret's absence proves nothing about it.
 */
function attemptOf(
  container: Fields,
  pod: string,
): { readonly attempt: Attempt | null; readonly secret: string | null } {
  let attempt: Attempt | null = null;
  for (const source of listOf(container["envFrom"])) {
    const name = textOf(fieldsOf(fieldsOf(source)["secretRef"])["name"]) ?? "";
    const [, owner = "", digits = ""] = /^(.+)-([^-]+)$/.exec(name) ?? [];
    const parsed = parseAttempt(digits);
    if (parsed === undefined) continue;
    if (owner === pod) return { attempt: parsed, secret: name };
    attempt ??= parsed;
  }
  return { attempt, secret: null };
}

function startOf(statuses: Fields): string | null {
  const state = fieldsOf(statuses["state"]);
  const { startedAt } = isThere(state["running"]) ? fieldsOf(state["running"]) : fieldsOf(state["terminated"]);
  const told = textOf(startedAt);
  // The runtimes' zero: it never started.
  return told?.startsWith("1970-") === true ? null : told;
}
