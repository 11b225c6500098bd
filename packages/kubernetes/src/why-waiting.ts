/** Why a start waits, in words for people: from the pod and from what the cluster tells beside it. Nothing is ever decided by it. */
import type { Condition, NodeLost } from "@moorage/core";
import { endingOfPod, startFault } from "./decode-ending.ts";
import { configFault, isPullReason } from "./decode-waiting.ts";
import { eventMessage } from "./event-message.ts";
import { fieldsOf, textOf } from "./json-fields.ts";
import { kubectl } from "./kubectl-command.ts";
import { isOver, named } from "./object-parts.ts";
import type { WaitingPod } from "./waiting-pod.ts";
import { onNode, whyPullFails } from "./why-image.ts";
import { whyNode } from "./why-node.ts";
import { whyPreparing } from "./why-preparing.ts";
import { whyUnschedulable } from "./why-unschedulable.ts";

/** Null when the pod itself tells as much as anybody knows. */
export function whyWaiting(pod: WaitingPod, lost: NodeLost | null): Condition | null {
  return (
    whyUnschedulable(pod) ??
    (lost === null ? null : whyNode(pod, lost)) ??
    whyTakenAway(pod) ??
    whyContainer(pod) ??
    whyNode(pod, lost) ??
    whySilent(pod)
  );
}

/** Why a pod is over that its node, or the scheduler, did not keep; null when it ended by itself. */
export function whyTakenAway({ status, agent }: WaitingPod): Condition | null {
  const ending = endingOfPod(status);
  if (ending === null || (ending.reason !== "evicted" && ending.reason !== "notStarted")) return null;
  const over = isOver(status);
  const said = textOf(status["message"]);
  const words = `${ending.detail ?? ""}${said === null ? "" : `: ${eventMessage("", said)}`}`;
  return {
    code: ending.reason === "evicted" ? "evicted" : "turnedDown",
    message: over ? words : `it is being taken off its node: ${words}`,
    hint: over
      ? `\`moorage deploy ${agent}\` starts it anew`
      : `\`moorage deploy ${agent}\` waits for its end, and starts it anew`,
  };
}

/** By what the node says of our container, and where it says nothing yet, by its Events. */
function whyContainer(pod: WaitingPod): Condition | null {
  const { reason, message } = waitingOf(pod);
  if (reason !== null && isPullReason(reason)) return whyPullFails(pod, reason, message);
  switch (reason) {
    case "CreateContainerConfigError":
      return {
        code: "configError",
        message: configFault(message === "" ? lastError(pod) : message),
        hint: `put it right, and a start that waits goes on; \`${kubectl(pod.place, `describe pod ${pod.name}`)}\` shows what it needs`,
      };
    case "CreateContainerError":
    case "RunContainerError":
      return {
        code: "createError",
        message: `its node${onNode(pod)} cannot create the container: ${startFault(message === "" ? lastError(pod) : message)}`,
        hint: `correct the declaration or the image, then run \`moorage deploy ${pod.agent}\``,
      };
    case null:
    case "ContainerCreating":
    case "PodInitializing":
      return whyPreparing(pod);
    default:
      return null;
  }
}

/** A node that has the pod and tells nothing at all. */
function whySilent(pod: WaitingPod): Condition | null {
  const { reason } = waitingOf(pod);
  if (pod.events === null || pod.node === null || (reason !== null && reason !== "ContainerCreating")) return null;
  return {
    code: "containerCreating",
    message: `its node ${pod.node.name} prepares it and says nothing more yet`,
    hint: `\`${kubectl(pod.place, `describe pod ${pod.name}`)}\` shows what it says later`,
  };
}

function waitingOf({ status, container }: WaitingPod): { readonly reason: string | null; readonly message: string } {
  const told = named(status["containerStatuses"], container["name"]);
  const waiting = fieldsOf(fieldsOf(told["state"])["waiting"]);
  return { reason: textOf(waiting["reason"]), message: textOf(waiting["message"]) ?? "" };
}

function lastError({ events }: WaitingPod): string {
  const told = events?.findLast(({ event, raw }) => event.reason === "Failed" && raw.startsWith("Error: "));
  return told?.raw.slice("Error: ".length) ?? "";
}
