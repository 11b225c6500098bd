/** How a watch of one kind of object in a namespace is asked for. */
import type { Abort } from "@moorage/core";
import type { Resource } from "./paths.ts";
import { pathOf, withQuery } from "./paths.ts";
import type { ClusterScope } from "./requests.ts";
import type { Answer, OpenStream } from "./transport.ts";

/** Seconds after which the server ends a watch, and milliseconds of silence after which we do: it sends a bookmark each minute. */
const watchSeconds = 290;
const watchIdleMs = 80_000;

/** `query` selects the objects. */
export function openWatch(
  { transport, namespace }: ClusterScope,
  resource: Resource,
  query: Readonly<Record<string, string>>,
  resourceVersion: string,
  signal: Abort,
): Promise<OpenStream | Answer> {
  const path = withQuery(pathOf(namespace, resource), {
    ...query,
    watch: "true",
    allowWatchBookmarks: "true",
    timeoutSeconds: String(watchSeconds),
    resourceVersion,
  });
  return transport.open(path, watchIdleMs, signal);
}
