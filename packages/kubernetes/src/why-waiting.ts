/** Why a start waits, in words for people: from the pod and from what the cluster tells beside it. Nothing is ever decided by it. */
import type { Condition } from "@moorage/core";
import type { Events } from "./events.ts";
import type { ClusterScope, Requests } from "./requests.ts";

export async function readWhyWaiting(
  _scope: ClusterScope,
  _requests: Requests,
  _events: Events,
  _name: string,
): Promise<Condition | null> {
  return Promise.resolve(null);
}
