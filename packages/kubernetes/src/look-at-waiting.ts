/** Reads what may be known of a pod that waits: itself, its Events, and its claim or its node where they are in question. */
import type { Condition, ObservedInstance } from "@moorage/core";
import { markedIdentity, readNotes } from "@moorage/core";
import { decodePod } from "./decode.ts";
import type { Events } from "./events.ts";
import { claimOf } from "./facts.ts";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, textOf } from "./json-fields.ts";
import { named } from "./object-parts.ts";
import { pathOf } from "./paths.ts";
import type { ClusterScope, Requests } from "./requests.ts";
import type { Beside, WaitingPod } from "./waiting-pod.ts";
import { whyTakenAway, whyWaiting } from "./why-waiting.ts";

export interface WaitingPorts {
  readonly scope: ClusterScope;
  readonly requests: Requests;
  readonly events: Pick<Events, "about">;
}

/**
 * Why the pod of this name waits; null when it does not, is not ours, or tells by itself as much as anybody knows. What
 * may not be read, or is not answered, makes fewer words and no error.
 */
export async function readWhyWaiting(name: string, ports: WaitingPorts): Promise<Condition | null> {
  const { scope, requests } = ports;
  const { namespace, profile } = scope;
  const found = await requests.get("get", "pods", pathOf(namespace, "pods", name));
  const observed = found.kind === "success" ? decodePod(found.object, profile) : null;
  if (found.kind !== "success" || observed === null || markedIdentity(observed, profile) === undefined) return null;
  const { container, nodeLost } = observed.evidence;
  if (container.state === "running" && nodeLost === null) return null;
  const pod = await besides(bare(found.object, observed, scope), observed, ports);
  if (container.state === "terminated") return whyTakenAway(pod);
  const why = whyWaiting(pod, nodeLost);
  const node = pod.node;
  if (node === null || (why !== null && why.code !== "containerCreating" && nodeLost === null)) return why;
  return whyWaiting({ ...pod, node: { ...node, look: await nodeLook(node.name, requests) } }, nodeLost);
}

/** The pod without anything beside it. */
function bare(object: Fields, observed: ObservedInstance, { profile, context, namespace }: ClusterScope): WaitingPod {
  const spec = fieldsOf(object["spec"]);
  const node = textOf(spec["nodeName"]);
  const claim = claimOf(spec);
  const unknown: Beside = { kind: "unknown" };
  return {
    name: observed.name,
    agent: readNotes(observed, profile).name ?? observed.name,
    place: { context, namespace },
    spec,
    status: fieldsOf(object["status"]),
    container: named(spec["containers"], profile.container),
    events: null,
    claim: claim === null ? null : { name: claim, look: unknown, events: [] },
    node: node === null ? null : { name: node, look: unknown },
  };
}

async function besides(
  pod: WaitingPod,
  { fence }: ObservedInstance,
  { scope, requests, events }: WaitingPorts,
): Promise<WaitingPod> {
  // With a node, the claim has done its part.
  const asked = pod.node === null ? pod.claim : null;
  const [told, look] = await Promise.all([
    events.about(fence.uid),
    asked === null
      ? null
      : besideOf(requests, "persistentvolumeclaims", pathOf(scope.namespace, "persistentvolumeclaims", asked.name)),
  ]);
  if (asked === null || look === null) return { ...pod, events: told };
  const uid = look.kind === "found" ? textOf(fieldsOf(look.object["metadata"])["uid"]) : null;
  const claimEvents = uid === null || told === null ? [] : ((await events.about(uid)) ?? []);
  return { ...pod, events: told, claim: { ...asked, look, events: claimEvents } };
}

function nodeLook(name: string, requests: Requests): Promise<Beside> {
  return besideOf(requests, "nodes", `/api/v1/nodes/${encodeURIComponent(name)}`);
}

async function besideOf(requests: Requests, resource: string, path: string): Promise<Beside> {
  const answer = await requests.get("get", resource, path);
  if (answer.kind === "success") return { kind: "found", object: answer.object };
  return answer.kind === "notFound" ? { kind: "absent" } : { kind: "unknown" };
}
