/** A difference between bundles as lines of plain text, safe to show in a terminal. */
import type { Json } from "@moorage/core";
import type { Component } from "./catalog.ts";
import type { FileChange } from "./diff.ts";
import { type Hunk, lineDiff } from "./line-diff.ts";
import type { ValueChange } from "./value-diff.ts";

/** Lines of one value or hunk; what is left out is counted. */
const mostLines = 200;
const longestValue = 120;

/** No lines for no difference. */
export function diffText(changes: readonly FileChange[]): string[] {
  return changes.flatMap((change) => {
    switch (change.kind) {
      case "added":
        return [`+ ${safe(change.after.path)} (${what(change.after)})`];
      case "removed":
        return [`- ${safe(change.before.path)} (${what(change.before)})`];
      case "moved":
        return [`> ${safe(change.before.path)} → ${safe(change.after.path)} (${what(change.after)})`];
      case "changed":
        return [
          `~ ${safe(change.after.path)} (${change.after.kind})`,
          ...changedText(change).map((line) => `    ${line}`),
        ];
      default:
        return change satisfies never;
    }
  });
}

function changedText({ before, after, leaves }: Extract<FileChange, { kind: "changed" }>): string[] {
  const lines: string[] = [];
  if (before.kind !== after.kind) lines.push(`kind: ${before.kind} → ${after.kind}`);
  if (before.effect !== after.effect) lines.push(`takes effect at: ${before.effect} → ${after.effect}`);
  if (leaves === null)
    return [...lines, `${before.size} bytes, ${short(before)} → ${after.size} bytes, ${short(after)}`];
  return [...lines, ...leaves.flatMap(leafText)];
}

function leafText(leaf: ValueChange | Hunk): string[] {
  switch (leaf.kind) {
    case "lines":
      return hunkText(leaf);
    case "added":
      return [`+ ${at(leaf.path)}${valueText(leaf.after)}`];
    case "removed":
      return [`- ${at(leaf.path)}${valueText(leaf.before)}`];
    case "changed":
      return changeText(leaf);
    case "reordered":
      return [`~ ${at(leaf.path)}${leaf.before.map(safe).join(", ")} → ${leaf.after.map(safe).join(", ")}`];
    default:
      return leaf satisfies never;
  }
}

/** Of a long text the lines that changed tell more than both of it. */
function changeText({ path, before, after }: Extract<ValueChange, { kind: "changed" }>): string[] {
  const long = typeof before === "string" && typeof after === "string" && `${before}${after}`.includes("\n");
  if (!long) return [`~ ${at(path)}${valueText(before)} → ${valueText(after)}`];
  return [
    `~ ${safe(path)}:`,
    ...lineDiff(before, after)
      .flatMap(hunkText)
      .map((line) => `    ${line}`),
  ];
}

function hunkText({ before, after, removed, added }: Hunk): string[] {
  const lines = [
    ...removed.map((line, index) => `${before + index} - ${safe(line)}`),
    ...added.map((line, index) => `${after + index} + ${safe(line)}`),
  ];
  return lines.length <= mostLines
    ? lines
    : [...lines.slice(0, mostLines), `and ${lines.length - mostLines} lines more`];
}

function at(path: string): string {
  return path === "" ? "" : `${safe(path)}: `;
}

function valueText(value: Json): string {
  const text = JSON.stringify(value);
  return safe(text.length > longestValue ? `${text.slice(0, longestValue)}…` : text);
}

function what({ kind, size }: Component): string {
  return `${kind}, ${size === 1 ? "1 byte" : `${size} bytes`}`;
}

function short({ sha256 }: Component): string {
  return `sha256 ${sha256.slice(0, 12)}…`;
}

/** Nothing of a catalog's may move a cursor or turn the direction of text. */
function safe(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (unit) =>
    unit === "\t" ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
