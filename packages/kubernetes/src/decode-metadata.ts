/** From an object's metadata to what core knows of it: its marks, its fence, its deletion. */
import type { Deletion, Fence, Marks } from "@moorage/core";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, listOf, textOf } from "./json-fields.ts";

export interface DecodedMetadata extends Marks {
  readonly name: string;
  readonly fence: Fence;
  readonly deletion: Deletion | null;
  /** Milliseconds since 1970 by the API server's clock; null when absent or unreadable. */
  readonly createdAt: number | null;
}

/** Null when it has no name, UID or version: nothing can be fenced, so nothing may follow from it. */
export function decodeMetadata(object: Fields): DecodedMetadata | null {
  const metadata = fieldsOf(object["metadata"]);
  const name = textOf(metadata["name"]);
  const uid = textOf(metadata["uid"]);
  const resourceVersion = textOf(metadata["resourceVersion"]);
  if (name === null || uid === null || resourceVersion === null) return null;
  return {
    name,
    fence: { uid, resourceVersion },
    labels: textsOf(metadata["labels"]),
    annotations: textsOf(metadata["annotations"]),
    deletion: deletionOf(metadata),
    createdAt: timeOf(metadata["creationTimestamp"]),
  };
}

/** Milliseconds since 1970, or null. */
function timeOf(value: unknown): number | null {
  const time = Date.parse(textOf(value) ?? "");
  return Number.isNaN(time) ? null : time;
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** The API server writes down when the grace will be over; since when it is asked for lies before that. */
function deletionOf(metadata: Fields): Deletion | null {
  const mark = metadata["deletionTimestamp"];
  if (mark === undefined || mark === null) return null;
  const until = timeOf(mark);
  const grace = metadata["deletionGracePeriodSeconds"];
  const since = until === null ? null : until - (typeof grace === "number" ? grace * 1000 : 0);
  return {
    since: since === null ? null : new Date(since).toISOString(),
    finalizers: listOf(metadata["finalizers"]).filter((one): one is string => typeof one === "string"),
  };
}
