/** The paths of the few requests that are made. */

export type Resource = "pods" | "secrets";

/** Objects of a namespace, or one of them by its name. */
export function pathOf(namespace: string, resource: Resource, name?: string): string {
  const collection = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${resource}`;
  return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`;
}

export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(query).toString()}`;
}
