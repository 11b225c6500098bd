/** The network policy that an agent may declare: one object in a namespace, which lets nothing in and nothing out of the pods with its label. */
import type { BindingProfile, Json, Refused, Unavailable } from "@moorage/core";
import { markKey } from "@moorage/core";
import { understandRead } from "./answers.ts";
import { fieldsOf, isFields, listOf } from "./json-fields.ts";
import { kubectl } from "./kubectl-command.ts";
import { creation, pathOf, withQuery } from "./paths.ts";
import type { ClusterScope, Requests } from "./requests.ts";
import { metadata, onlyTrouble } from "./requests.ts";

const resource = "networkpolicies";

/** What the policy selects its pods by. */
export function closedLabels(profile: BindingProfile): Readonly<Record<string, string>> {
  return { [markKey(profile, "network-policy")]: "deny-all" };
}

export type PolicyMade = { readonly kind: "ready" } | { readonly kind: "scopeMissing" } | Refused | Unavailable;

/** Sees to it that the policy is there before a pod comes that counts on it. However often it is asked for, it is one object. */
export async function ensureDenyAll(scope: ClusterScope, requests: Requests): Promise<PolicyMade> {
  const { profile, namespace } = scope;
  const name = `${profile.prefix}-deny-all`;

  async function look(): Promise<PolicyMade | { readonly kind: "absent" }> {
    const found = await requests.get("get", resource, pathOf(namespace, resource, name));
    if (found.kind === "notFound") return { kind: "absent" };
    if (found.kind === "scopeMissing") return { kind: "scopeMissing" };
    if (found.kind !== "success") return onlyTrouble(found);
    return closesAll(found.object["spec"], closedLabels(profile)) ? { kind: "ready" } : changed(name, scope);
  }

  const before = await look();
  if (before.kind !== "absent") return before;
  const body: Json = {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, namespace, labels: { "app.kubernetes.io/managed-by": profile.managedBy } },
    spec: { podSelector: { matchLabels: closedLabels(profile) }, policyTypes: ["Ingress", "Egress"] },
  };
  const path = withQuery(pathOf(namespace, resource), creation);
  const answer = await requests.send({ method: "POST", path, body, accept: metadata });
  // The same object however often it is made: like a read, it may simply be asked for again.
  const made = understandRead(answer, requests.asked("create", resource));
  switch (made.kind) {
    case "success":
      return { kind: "ready" };
    case "scopeMissing":
      return { kind: "scopeMissing" };
    case "alreadyExists": {
      const after = await look();
      return after.kind === "absent"
        ? { kind: "unavailable", detail: `the network policy ${name} comes and goes`, retryAfterMs: null }
        : after;
    }
    default:
      return onlyTrouble(made);
  }
}

/** Whether a policy's specification keeps everything from exactly the pods with these labels. */
function closesAll(spec: unknown, labels: Readonly<Record<string, string>>): boolean {
  const { podSelector, policyTypes, ingress, egress } = fieldsOf(spec);
  const selector = fieldsOf(podSelector);
  const wanted = isFields(selector["matchLabels"]) ? Object.entries(selector["matchLabels"]) : [];
  // One that selects more pods closes these too.
  const selects =
    wanted.every(([key, value]) => labels[key] === value) && listOf(selector["matchExpressions"]).length === 0;
  const types = listOf(policyTypes);
  const both = types.includes("Ingress") && types.includes("Egress");
  return selects && both && listOf(ingress).length === 0 && listOf(egress).length === 0;
}

function changed(name: string, scope: ClusterScope): Refused {
  const remove = kubectl(scope, `delete networkpolicy ${name}`);
  return {
    kind: "refused",
    refusal: {
      kind: "unknown",
      detail: `the network policy ${name} is there, but it does not close these pods; to have it made anew, run \`${remove}\``,
    },
  };
}
