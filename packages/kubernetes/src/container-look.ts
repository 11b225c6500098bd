/** Where one container of a pod stands, by a most recent read, for whoever reads its output. */
import type { BindingProfile, Refused, Unavailable } from "@moorage/core";
import { readNotes } from "@moorage/core";
import { decodeMetadata } from "./decode-metadata.ts";
import { fieldsOf, isFields, listOf, textOf } from "./json-fields.ts";
import { isOver, named } from "./object-parts.ts";
import { pathOf } from "./paths.ts";
import type { Requests } from "./requests.ts";
import { onlyTrouble } from "./requests.ts";

export type ContainerLook =
  /** There is no such pod. */
  | { readonly kind: "absent" }
  | {
      readonly kind: "waiting" | "running" | "ended";
      readonly uid: string;
      /** Another one after each start in place; null before the first. */
      readonly containerId: string | null;
      /** The agent's declared name, where it is written down. */
      readonly agent: string | null;
    }
  | { readonly kind: "unknown"; readonly answer: Refused | Unavailable };

export async function lookAtContainer(
  requests: Requests,
  profile: BindingProfile,
  { namespace, pod, container }: { readonly namespace: string; readonly pod: string; readonly container: string },
): Promise<ContainerLook> {
  const answer = await requests.get("get", "pods", pathOf(namespace, "pods", pod));
  if (answer.kind === "notFound" || answer.kind === "scopeMissing") return { kind: "absent" };
  if (answer.kind !== "success") return { kind: "unknown", answer: onlyTrouble(answer) };
  const metadata = decodeMetadata(answer.object);
  if (metadata === null) return { kind: "absent" };
  const status = fieldsOf(answer.object["status"]);
  const told = named([...listOf(status["containerStatuses"]), ...listOf(status["initContainerStatuses"])], container);
  const state = fieldsOf(told["state"]);
  const over = isFields(state["terminated"]) || isOver(status);
  return {
    kind: isFields(state["running"]) ? "running" : over ? "ended" : "waiting",
    uid: metadata.fence.uid,
    containerId: textOf(told["containerID"]),
    agent: readNotes(metadata, profile).name ?? null,
  };
}
