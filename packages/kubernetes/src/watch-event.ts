/** One line of a watch to what it says (Kubernetes API concepts, "Efficient detection of changes"). */
import type { Fields } from "./json-fields.ts";
import { fieldsOf, parseFields, textOf } from "./json-fields.ts";

export type WatchEvent =
  | { readonly kind: "changed"; readonly object: Fields; readonly version: string }
  | { readonly kind: "removed"; readonly object: Fields; readonly version: string }
  /** Nothing happened until this version. */
  | { readonly kind: "bookmark"; readonly version: string }
  /** 410 in the stream: what happened since is not kept. */
  | { readonly kind: "expired" }
  | { readonly kind: "failed"; readonly detail: string; readonly retryAfterMs: number | null }
  /** No event that we know. A server may have new kinds; what it means for the version nobody knows. */
  | { readonly kind: "unreadable"; readonly detail: string };

export function readEvent(line: string): WatchEvent {
  const event = parseFields(line);
  if (event === null) return { kind: "unreadable", detail: "a line of the watch is no JSON" };
  const object = fieldsOf(event["object"]);
  if (event["type"] === "ERROR") return readError(object);
  const version = textOf(fieldsOf(object["metadata"])["resourceVersion"]);
  if (version === null) return { kind: "unreadable", detail: "an event of the watch has no version" };
  switch (event["type"]) {
    case "ADDED":
    case "MODIFIED":
      return { kind: "changed", object, version };
    case "DELETED":
      return { kind: "removed", object, version };
    case "BOOKMARK":
      return { kind: "bookmark", version };
    default:
      return { kind: "unreadable", detail: "the watch tells of an unknown kind of event" };
  }
}

function readError(status: Fields): WatchEvent {
  const reason = textOf(status["reason"]);
  if (status["code"] === 410 || reason === "Expired" || reason === "Gone") return { kind: "expired" };
  const seconds = fieldsOf(status["details"])["retryAfterSeconds"];
  return {
    kind: "failed",
    detail: `the watch ended with ${reason ?? "an error"}`,
    retryAfterMs: typeof seconds === "number" && seconds > 0 ? seconds * 1000 : null,
  };
}
