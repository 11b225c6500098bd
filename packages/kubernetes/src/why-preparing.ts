/** What a node is busy with before it starts our container, which only its Events tell: sandbox, volumes, image. */
import type { Condition } from "@moorage/core";
import type { RawEvent } from "./cluster-event.ts";
import { eventMessage } from "./event-message.ts";
import { kubectl } from "./kubectl-command.ts";
import type { WaitingPod } from "./waiting-pod.ts";
import { plainTime } from "./waiting-pod.ts";
import { onNode, whyPulling } from "./why-image.ts";

/** The steps of a start that an Event tells, and what each says that was before it. */
const steps: ReadonlySet<string> = new Set([
  "FailedCreatePodSandBox",
  "FailedMount",
  "FailedAttachVolume",
  "NetworkNotReady",
  "Pulling",
  "Pulled",
  "Created",
  "Started",
]);

/** Null when the Events tell nothing that is in the way now. */
export function whyPreparing(pod: WaitingPod): Condition | null {
  const last = pod.events?.findLast(({ event }) => steps.has(event.reason));
  switch (last?.event.reason) {
    case "Pulling":
      return whyPulling(pod, last);
    case "FailedMount":
    case "FailedAttachVolume":
      return volume(pod, mostTelling(pod.events ?? []) ?? last);
    case "FailedCreatePodSandBox":
      return sandbox(pod, last);
    case "NetworkNotReady":
      return {
        code: "networkNotReady",
        message: `its node${onNode(pod)} has no network yet`,
        hint: `look at the node's network plugin; \`${kubectl(pod.place, `describe pod ${pod.name}`)}\` shows the node's own words`,
      };
    default:
      return null;
  }
}

/** Beside each cause the kubelet tells again and again that it waits for it. */
function mostTelling(events: readonly RawEvent[]): RawEvent | null {
  return (
    events.findLast(
      ({ event, raw }) =>
        (event.reason === "FailedMount" || event.reason === "FailedAttachVolume") &&
        !raw.startsWith("Unable to attach or mount volumes"),
    ) ?? null
  );
}

function volume(pod: WaitingPod, { event, raw }: RawEvent): Condition {
  const { place, name } = pod;
  const since = `, since ${plainTime(event.since)}`;
  const absent = /\b(secret|configmap|persistentvolumeclaim) "([^"]+)" not found/.exec(raw);
  if (absent !== null) {
    const [, kind = "", object = ""] = absent;
    return {
      code: "volumeSourceMissing",
      message: `a volume needs the ${kinds[kind] ?? kind} ${object}, which is not there${since}`,
      hint: `create it in the namespace ${place.namespace}, and a start that waits goes on; \`${kubectl(place, `get ${kind}s`)}\` lists what is there`,
    };
  }
  const key = /references non-existent (?:secret|config) key: (\S+)/.exec(raw)?.[1];
  if (key !== undefined)
    return {
      code: "volumeSourceMissing",
      message: `a volume needs the key ${key}, which its Secret or ConfigMap does not have${since}`,
      hint: `add the key, and a start that waits goes on; \`${kubectl(place, `describe pod ${name}`)}\` shows the volumes`,
    };
  if (/Multi-Attach error/.test(raw))
    return {
      code: "volumeInUse",
      message: `its volume is still attached to another node${since}`,
      hint: `wait until the node lets go of it, or end what uses it: \`${kubectl(place, "get pods --output wide")}\``,
    };
  const said = raw.replace(/^MountVolume\.\w+ failed for volume "[^"]*" : /, "");
  return {
    code: "volumeFails",
    message: `its node${onNode(pod)} cannot mount a volume: ${eventMessage(event.reason, said)}${since}`,
    hint: `run \`${kubectl(place, `describe pod ${name}`)}\``,
  };
}

const kinds: Readonly<Record<string, string>> = {
  secret: "Secret",
  configmap: "ConfigMap",
  persistentvolumeclaim: "claim",
};

function sandbox(pod: WaitingPod, { event, raw }: RawEvent): Condition {
  const since = `, since ${plainTime(event.since)}`;
  const told = {
    code: "sandboxFails",
    hint: `run \`${kubectl(pod.place, `describe pod ${pod.name}`)}\`, and have whoever runs the nodes look at${onNode(pod)}`,
  };
  const node = `its node${onNode(pod)}`;
  if (/no runtime for "/.test(raw))
    return {
      ...told,
      message: `${node} does not have the runtime that its runtime class asks for${since}`,
      hint: `correct \`kubernetes.runtimeClass\` and run \`moorage deploy ${pod.agent}\`, or have the runtime set up on the node`,
    };
  const said = raw.replace(/^Failed to create pod sandbox: (?:rpc error: code = \w+ desc = )?/, "");
  if (/\b(?:setup network|network for (?:pod )?sandbox|cni)\b|plugin type=/i.test(said))
    return { ...told, message: `${node} cannot give it a network: ${eventMessage(event.reason, said)}${since}` };
  return { ...told, message: `${node} cannot make its sandbox: ${eventMessage(event.reason, said)}${since}` };
}
