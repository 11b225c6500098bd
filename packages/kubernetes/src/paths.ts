/** The paths of the few requests that are made, and the selectors in them. */
import type { BindingProfile, Identity } from "@moorage/core";
import { markKey, selectorValue } from "@moorage/core";

export type Resource = "pods" | "secrets" | "events" | "persistentvolumeclaims" | "networkpolicies";

type Query = Readonly<Record<string, string>>;

/** The query of a change that says who makes it, and of a create, of which no field may be unknown or be there twice. */
export const manager: Query = { fieldManager: "moorage" };
export const creation: Query = { ...manager, fieldValidation: "Strict" };

/** Objects of a namespace, or one of them by its name. */
export function pathOf(namespace: string, resource: Resource, name?: string): string {
  const group = resource === "networkpolicies" ? "/apis/networking.k8s.io/v1" : "/api/v1";
  const collection = `${group}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
  return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`;
}

export function withQuery(path: string, query: Query): string {
  return `${path}?${new URLSearchParams(query).toString()}`;
}

/** What may be an instance of this identity. */
export function selectorOf(profile: BindingProfile, identity: Identity): string {
  return `${markKey(profile, profile.identityLabel)}=${selectorValue(identity)}`;
}

/** What may be an instance of ours. */
export function ourSelector(profile: BindingProfile): string {
  return `app.kubernetes.io/managed-by=${profile.managedBy},${markKey(profile, "binding-version")}=${profile.bindingVersion}`;
}
