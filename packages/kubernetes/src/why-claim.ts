/** Why the claim that a workspace is on keeps its pod waiting. */
import type { Condition } from "@moorage/core";
import { eventMessage } from "./event-message.ts";
import { fieldsOf, textOf } from "./json-fields.ts";
import { kubectl, kubectlCluster } from "./kubectl-command.ts";
import type { WaitingPod } from "./waiting-pod.ts";

/** `told`: what the scheduler says. Null when it speaks of a claim that is not the workspace's, and says nothing of it. */
export function whyClaim(pod: WaitingPod, told: string): Condition | null {
  const missing = /persistentvolumeclaim "([^"]+)" not found/.exec(told)?.[1];
  const name = missing ?? pod.claim?.name ?? null;
  if (name === null) return null;
  const look = pod.claim?.name === name ? pod.claim.look : null;
  if (missing !== undefined || look?.kind === "absent") return claimMissing(pod, name);
  if (/is being deleted/.test(told)) return claimDeleted(pod, name);
  if (look?.kind === "found" && fieldsOf(look.object["metadata"])["deletionTimestamp"] !== undefined)
    return claimDeleted(pod, name);
  return claimPending(pod, name);
}

function claimMissing({ place, agent }: WaitingPod, name: string): Condition {
  return {
    code: "claimMissing",
    message: `the claim ${name}, which its workspace is on, does not exist in the namespace ${place.namespace}`,
    hint: `create it, and a start that waits goes on; or correct \`kubernetes.workspace\` and run \`moorage deploy ${agent}\`; \`${kubectl(place, "get persistentvolumeclaims")}\` lists what is there`,
  };
}

function claimDeleted({ place, agent }: WaitingPod, name: string): Condition {
  return {
    code: "claimEnding",
    message: `the claim ${name}, which its workspace is on, is being deleted`,
    hint: `correct \`kubernetes.workspace\` and run \`moorage deploy ${agent}\`; \`${kubectl(place, `describe persistentvolumeclaim ${name}`)}\` says what holds it`,
  };
}

function claimPending(pod: WaitingPod, name: string): Condition {
  const { place, claim } = pod;
  const spec = claim?.look.kind === "found" ? fieldsOf(claim.look.object["spec"]) : {};
  const storageClass = textOf(spec["storageClassName"]);
  const last = claim?.events.at(-1);
  const why = last === undefined ? null : claimWords(last.event.reason, last.raw, storageClass);
  return {
    code: "claimPending",
    message: `the claim ${name}, which its workspace is on, has no volume yet${why === null ? "" : `: ${why}`}`,
    hint:
      storageClass === null
        ? `run \`${kubectl(place, `describe persistentvolumeclaim ${name}`)}\`; \`${kubectlCluster(place, "get storageclasses")}\` lists the classes that it could name`
        : `run \`${kubectl(place, `describe persistentvolumeclaim ${name}`)}\``,
  };
}

/** What the cluster says of the claim by itself. */
function claimWords(reason: string, message: string, storageClass: string | null): string | null {
  if (/no persistent volumes available for this claim and no storage class is set/.test(message))
    return "no volume fits, and it names no storage class";
  const absent = /storageclass\S* "([^"]+)" not found/.exec(message)?.[1];
  if (absent !== undefined) return `its storage class ${absent} does not exist`;
  const provisioner = /provisioner '([^']+)'/.exec(message)?.[1];
  if (reason === "ExternalProvisioning")
    return `${provisioner === undefined ? "its provisioner" : `the provisioner ${provisioner}`} has not made one${storageClass === null ? "" : ` (storage class ${storageClass})`}`;
  if (reason === "WaitForFirstConsumer" || reason === "WaitForPodScheduled") return "it waits until the pod has a node";
  return eventMessage(reason, message);
}
