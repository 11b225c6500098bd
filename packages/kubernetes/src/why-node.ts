/** What a node that is lost, or not ready, means for the pod on it. Nothing is ever forced. */
import type { Condition, NodeLost } from "@moorage/core";
import { fieldsOf, textOf } from "./json-fields.ts";
import { kubectlCluster } from "./kubectl-command.ts";
import { conditionIn } from "./object-parts.ts";
import type { WaitingPod } from "./waiting-pod.ts";
import { plainTime } from "./waiting-pod.ts";

/** Null when nothing is known against its node. `lost`: what the pod itself tells. */
export function whyNode(pod: WaitingPod, lost: NodeLost | null): Condition | null {
  if (pod.node === null) return null;
  const { name, look } = pod.node;
  if (look.kind === "absent")
    return {
      code: "nodeGone",
      message: `its node ${name} is not part of the cluster any more`,
      hint: `make sure that the machine is off; the cluster then removes the pod by itself, and \`moorage deploy ${pod.agent}\` starts anew`,
    };
  const ready = conditionIn(look.kind === "found" ? fieldsOf(look.object["status"]) : {}, "Ready");
  const silent = lost !== null || ready["status"] === "Unknown";
  if (!silent && ready["status"] !== "False") return null;
  const at = textOf(ready["lastTransitionTime"]) ?? lost?.since ?? null;
  const since = at === null ? "" : ` since ${plainTime(at)}`;
  return {
    code: silent ? "nodeLost" : "nodeNotReady",
    message: silent ? `its node ${name} does not answer${since}` : `its node ${name} is not ready${since}`,
    hint: silent
      ? `bring the node back: \`${kubectlCluster(pod.place, `describe node ${name}`)}\`; only when it is certain that the machine is off, \`${kubectlCluster(pod.place, `delete node ${name}`)}\``
      : `look at the node: \`${kubectlCluster(pod.place, `describe node ${name}`)}\``,
  };
}
