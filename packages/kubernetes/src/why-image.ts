/** Why the image of a pod is not there yet: it is being pulled, or it cannot be. */
import type { Condition } from "@moorage/core";
import { pullWords } from "@moorage/core";
import type { RawEvent } from "./cluster-event.ts";
import { pullWordsOf } from "./event-message.ts";
import { textOf } from "./json-fields.ts";
import { kubectl } from "./kubectl-command.ts";
import { diagnosePull, pullFailureKind } from "./pull-failure.ts";
import type { WaitingPod } from "./waiting-pod.ts";
import { plainTime } from "./waiting-pod.ts";

/** `told` is the Event of the pull that has begun and not ended. */
export function whyPulling(pod: WaitingPod, told: RawEvent): Condition {
  const image = /^Pulling image "([^"]+)"/.exec(told.raw)?.[1] ?? imageOf(pod);
  const tries = told.event.count > 1 ? `, attempt ${told.event.count}` : "";
  return {
    code: "imagePulling",
    message: `its node${onNode(pod)} pulls the image ${image} since ${plainTime(told.event.at)}${tries}`,
    hint: `\`moorage deploy ${pod.agent}\` waits for it; a large image may take minutes`,
  };
}

/** `reason` and `message` of the waiting container. */
export function whyPullFails(pod: WaitingPod, reason: string, message: string): Condition {
  const first = pod.events?.find(({ event }) => event.reason === "Failed" || event.reason === "BackOff");
  const said =
    message === "" || /^Back-off pulling image "[^"]*"$/.test(message) ? (lastFailure(pod) ?? message) : message;
  const since = first === undefined ? "" : `, since ${plainTime(first.event.since)}`;
  const secret = missingSecret(pod);
  const kind = pullFailureKind(diagnosePull(reason, said).verdict);
  const words =
    secret === null
      ? pullWordsOf(reason, said)
      : `${pullWordsOf(reason, said)}; the image pull secret ${secret} cannot be read`;
  const text = `${words} (${imageOf(pod)}${since})`;
  const again = `\`moorage stop ${pod.agent}\` and \`moorage deploy ${pod.agent}\``;
  if (secret !== null)
    return {
      code: kind ?? "imagePull",
      message: text,
      hint: `create it: \`${kubectl(pod.place, `create secret docker-registry ${secret} --docker-server=… --docker-username=… --docker-password=…`)}\``,
    };
  if (kind === null)
    return {
      code: "imagePull",
      message: text,
      hint: `it is tried again and again by itself; \`${kubectl(pod.place, `describe pod ${pod.name}`)}\` shows the node's own words`,
    };
  return { code: kind, message: text, hint: `${pullWords[kind].remedy}, then run ${again}` };
}

function imageOf({ container }: WaitingPod): string {
  return textOf(container["image"]) ?? "its image";
}

export function onNode({ node }: WaitingPod): string {
  return node === null ? "" : ` ${node.name}`;
}

/** A back-off says less than the failure before it. */
function lastFailure({ events }: WaitingPod): string | null {
  return events?.findLast(({ raw }) => /^Failed to pull image\b/.test(raw))?.raw ?? null;
}

function missingSecret({ events }: WaitingPod): string | null {
  const told = events?.findLast(({ event }) => event.reason === "FailedToRetrieveImagePullSecret");
  return /pull secrets? \(([^),\s]+)/.exec(told?.raw ?? "")?.[1] ?? null;
}
