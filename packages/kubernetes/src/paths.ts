/** The paths of the few requests that are made, and the selectors in them. */
import type { BindingProfile, Identity } from "@moorage/core";
import { markKey, selectorValue } from "@moorage/core";

export type Resource = "pods" | "secrets" | "events" | "persistentvolumeclaims";

/** Objects of a namespace, or one of them by its name. */
export function pathOf(namespace: string, resource: Resource, name?: string): string {
  const collection = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${resource}`;
  return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`;
}

export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
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
