/** What helps, in words for somebody who has a client and kubectl, and not the command of Moorage. */
import type { Condition, PullFailureKind } from "@moorage/core";
import { pullWords } from "@moorage/core";
import { type CommandPlace, kubectl } from "@moorage/kubernetes";

const again = "start the agent again";
const unreachable = `check the network, the kubeconfig and what it needs, then ${again}; what is running goes on`;
/** What only the command knows, and its declaration. A context, a namespace or a node may have any of these words in its name. */
const ofCommand = /`moorage |`kubernetes\.|\bdeclar|`--/;

/** `pod`: its deterministic name. */
export function remedyFor({ code, hint }: Condition, place: CommandPlace, pod: string): string {
  const remove = `\`${kubectl(place, `delete pod ${pod}`)}\``;
  const describe = `\`${kubectl(place, `describe pod ${pod}`)}\` says more`;
  if (Object.hasOwn(pullWords, code))
    return `${inSettings(pullWords[code as PullFailureKind].remedy)}, then run ${remove} and ${again}`;
  switch (code) {
    case "intentNotComparable":
      return `to replace it, run ${remove} and ${again}; else it is waited for`;
    case "agentEnded":
      return `\`${kubectl(place, `logs ${pod}`)}\` shows all that it wrote; ${again} once that is put right`;
    case "evicted":
    case "turnedDown":
    case "interrupted":
    case "worldMoved":
    case "provablyBroken":
      return again;
    case "duplicateIdentity":
      return `find out who created it, and delete that pod; then ${again}`;
    case "foreignObject":
      return `rename or remove ${pod} yourself, then ${again}`;
    case "removedUnconfirmed":
      return `make sure that it has ended, then ${again}`;
    case "createError":
      return `correct the image, then run ${remove} and ${again}; ${describe}`;
    case "unschedulable":
      if (!ofCommand.test(hint)) return hint;
      return `ask for less or for other nodes in the provider's settings, or make room on a node, and ${again}; ${describe}`;
    case "refused":
      return `${again} once that is put right`;
    case "admissionDenied":
    case "invalid":
      return `change the provider's settings accordingly, then ${again}`;
    case "forbidden":
      return "ask whoever runs the cluster for that right in the namespace";
    case "unauthenticated":
      return "sign in again with your cluster's tool, or choose another context";
    case "unreachable":
      return unreachable;
    default:
      return ofCommand.test(hint) ? `nothing was undone: ${again} to go on waiting; ${describe}` : hint;
  }
}

function inSettings(words: string): string {
  return words.replace("`nodeSelector`", "`pod_options.node_selector`");
}

/** What helps where there is no condition: no cluster is described, or what describes it cannot be used. */
export function remedyOfFault(hint: string): string {
  const told = hint.replace("`--context`", "`context`");
  return ofCommand.test(told) ? unreachable : told;
}
