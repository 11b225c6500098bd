/** Two documents by path: this tool's description, that route's model. */
import type { Json } from "@moorage/core";
import { pathText, type Step } from "./bundle-error.ts";

export type ValueChange =
  | { readonly kind: "added"; readonly path: string; readonly after: Json }
  | { readonly kind: "removed"; readonly path: string; readonly before: Json }
  | { readonly kind: "changed"; readonly path: string; readonly before: Json; readonly after: Json }
  /** The same named items in another order. */
  | {
      readonly kind: "reordered";
      readonly path: string;
      readonly before: readonly string[];
      readonly after: readonly string[];
    };

type JsonRecord = { readonly [key: string]: Json };

/** Empty for equal data, whatever the order of keys. */
export function valueDiff(before: Json, after: Json): ValueChange[] {
  const changes: ValueChange[] = [];
  compare(before, after, [], changes);
  return changes;
}

function compare(before: Json, after: Json, steps: readonly Step[], changes: ValueChange[]): void {
  if (isRecord(before) && isRecord(after)) compareRecords(before, after, steps, changes);
  else if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, steps, changes);
  else if (!Object.is(before, after)) changes.push({ kind: "changed", path: pathText(steps), before, after });
}

function compareRecords(before: JsonRecord, after: JsonRecord, steps: readonly Step[], changes: ValueChange[]): void {
  for (const [key, value] of Object.entries(before)) compareAt(value, own(after, key), [...steps, key], changes);
  for (const [key, value] of Object.entries(after))
    if (own(before, key) === undefined) compareAt(undefined, value, [...steps, key], changes);
}

function compareLists(
  before: readonly Json[],
  after: readonly Json[],
  steps: readonly Step[],
  changes: ValueChange[],
): void {
  const [old, fresh] = [namedItems(before), namedItems(after)];
  if (old === null || fresh === null) {
    for (let at = 0; at < Math.max(before.length, after.length); at += 1)
      compareAt(before[at], after[at], [...steps, at], changes);
    return;
  }
  for (const [name, item] of old) compareAt(item, fresh.get(name), [...steps, name], changes);
  for (const [name, item] of fresh) if (!old.has(name)) compareAt(undefined, item, [...steps, name], changes);
  const [was, is] = [
    [...old.keys()].filter((name) => fresh.has(name)),
    [...fresh.keys()].filter((name) => old.has(name)),
  ];
  if (was.join("\n") !== is.join("\n"))
    changes.push({ kind: "reordered", path: pathText(steps), before: was, after: is });
}

function compareAt(
  before: Json | undefined,
  after: Json | undefined,
  steps: readonly Step[],
  changes: ValueChange[],
): void {
  if (before !== undefined && after !== undefined) compare(before, after, steps, changes);
  else if (after !== undefined) changes.push({ kind: "added", path: pathText(steps), after });
  else if (before !== undefined) changes.push({ kind: "removed", path: pathText(steps), before });
}

/** A list of things that each have a name of their own is compared by it: an item more does not move the others. */
function namedItems(list: readonly Json[]): Map<string, Json> | null {
  const items = new Map<string, Json>();
  for (const item of list) {
    const name = isRecord(item) ? (own(item, "name") ?? own(item, "id")) : undefined;
    if (typeof name !== "string" || items.has(name)) return null;
    items.set(name, item);
  }
  return items;
}

function own(record: JsonRecord, key: string): Json | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function isRecord(value: Json): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
