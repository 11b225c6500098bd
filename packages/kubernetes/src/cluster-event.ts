/** One of the cluster's own Events (core/v1), decoded for people: nothing is ever decided by one. */
import { eventMessage } from "./event-message.ts";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, textOf } from "./json-fields.ts";

export interface ClusterEvent {
  /** ISO 8601: when it was last seen. */
  readonly at: string;
  /** ISO 8601: when it was first seen. */
  readonly since: string;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  /** Redacted and cut; what a pull said is told in our own words. */
  readonly message: string;
  /** How often it was seen. */
  readonly count: number;
  /** The name of the object that it is about. */
  readonly object: string;
}

/** What a reader needs beside: which Event it is and whose, and its message as it came, for classification alone. */
export interface RawEvent {
  readonly uid: string;
  readonly version: string;
  /** The UID of the object that it is about. */
  readonly about: string | null;
  readonly raw: string;
  readonly event: ClusterEvent;
}

/** Characters of an ISO time before its fraction. */
const wholeSecond = "2030-01-31T12:00:00".length;

/** Null for what is no Event, or has no time. Old sources write `lastTimestamp` and `count`, new ones `eventTime` and `series`. */
export function decodeEvent(object: Fields): RawEvent | null {
  const metadata = fieldsOf(object["metadata"]);
  const involved = fieldsOf(object["involvedObject"]);
  const series = fieldsOf(object["series"]);
  const [uid, version] = [textOf(metadata["uid"]), textOf(metadata["resourceVersion"])];
  const name = textOf(involved["name"]);
  const at =
    latest([series["lastObservedTime"], object["lastTimestamp"], object["eventTime"]]) ??
    latest([metadata["creationTimestamp"]]);
  if (uid === null || version === null || name === null || at === null) return null;
  const since = latest([object["firstTimestamp"]]) ?? latest([object["eventTime"]]) ?? at;
  const reason = textOf(object["reason"]) ?? "Unknown";
  const raw = textOf(object["message"]) ?? textOf(object["note"]) ?? "";
  const count = Math.max(countOf(object["count"]), countOf(series["count"]), 1);
  const type = object["type"] === "Warning" ? "Warning" : "Normal";
  return {
    uid,
    version,
    about: textOf(involved["uid"]),
    raw,
    event: { at, since, type, reason, message: eventMessage(reason, raw), count, object: name },
  };
}

/** Oldest first, in whole seconds, which is all that some sources tell; of the same second, as the API server wrote them. */
export function inOrder(events: readonly RawEvent[]): readonly RawEvent[] {
  return events.toSorted((a, b) => {
    const [first, second] = [a.event.at.slice(0, wholeSecond), b.event.at.slice(0, wholeSecond)];
    if (first !== second) return first < second ? -1 : 1;
    return isNewer(a.version, b.version) ? 1 : -1;
  });
}

/** Versions are whole numbers that grow; of those of another kind the order means nothing, and nothing hangs on it. */
export function isNewer(version: string, than: string): boolean {
  return version.length === than.length ? version > than : version.length > than.length;
}

/** The latest of these times as ISO 8601 with milliseconds; null when none is readable. */
function latest(values: readonly unknown[]): string | null {
  const times = values.map((value) => Date.parse(textOf(value) ?? "")).filter((time) => !Number.isNaN(time));
  return times.length === 0 ? null : new Date(Math.max(...times)).toISOString();
}

function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}
