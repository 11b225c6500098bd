import { expect, test } from "vitest";
import { readEvent } from "./watch-event.ts";

const pod = { kind: "Pod", metadata: { name: "p", resourceVersion: "7" } };
const line = (type: string, object: unknown): string => JSON.stringify({ type, object });

test.each([
  ["ADDED", { kind: "changed", object: pod, version: "7" }],
  ["MODIFIED", { kind: "changed", object: pod, version: "7" }],
  ["DELETED", { kind: "removed", object: pod, version: "7" }],
  ["BOOKMARK", { kind: "bookmark", version: "7" }],
  ["SOMETHING", { kind: "unreadable", detail: expect.any(String) }],
])("%s", (type, event) => expect(readEvent(line(type, pod))).toEqual(event));

test.each([
  [{ code: 410, reason: "Expired" }, { kind: "expired" }],
  [{ reason: "Gone" }, { kind: "expired" }],
  [
    { code: 429, reason: "TooManyRequests", details: { retryAfterSeconds: 2 } },
    { kind: "failed", detail: "the watch ended with TooManyRequests", retryAfterMs: 2000 },
  ],
  [
    { code: 500, message: "Bearer secret" },
    { kind: "failed", detail: "the watch ended with an error", retryAfterMs: null },
  ],
])("ERROR %j", (status, event) => expect(readEvent(line("ERROR", status))).toEqual(event));

test.each(["", "{", "null", "[]", '{"type":"ADDED"}', '{"type":"ADDED","object":{"metadata":{"resourceVersion":7}}}'])(
  "%j is unreadable",
  (text) => expect(readEvent(text).kind).toBe("unreadable"),
);
