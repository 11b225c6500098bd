/** What is different between two bundles, down to the leaf: as data, for people and for programs. */
import { isUtf8 } from "node:buffer";
import type { Json } from "@moorage/core";
import type { Component } from "./catalog.ts";
import { byPath } from "./catalog-hash.ts";
import { DocumentFault, plainOf } from "./document.ts";
import { type Hunk, lineDiff } from "./line-diff.ts";
import type { Manifest } from "./manifest.ts";
import { strictData } from "./strict-data.ts";
import { isTextPath, utf8Text } from "./text-file.ts";
import { type ValueChange, valueDiff } from "./value-diff.ts";
import type { PayloadReader } from "./verify-bundle.ts";

export interface DiffSide {
  readonly components: Manifest["components"];
  /** Null for what is not at hand: it is told by size and digest. */
  readonly payload: PayloadReader;
}

export type FileChange =
  | { readonly kind: "added"; readonly after: Component }
  | { readonly kind: "removed"; readonly before: Component }
  /** The same content under another path. */
  | { readonly kind: "moved"; readonly before: Component; readonly after: Component }
  | {
      readonly kind: "changed";
      readonly before: Component;
      readonly after: Component;
      /** Empty when only its kind or its rule changed; null where there are no leaves: bytes, or content that is not at hand. */
      readonly leaves: readonly (ValueChange | Hunk)[] | null;
    };

/** Sorted by path. */
export function bundleDiff(before: DiffSide, after: DiffSide): FileChange[] {
  const old = new Map(before.components.map((component) => [component.path, component]));
  const changes: FileChange[] = [];
  const added: Component[] = [];
  for (const component of after.components) {
    const other = old.get(component.path);
    old.delete(component.path);
    if (other === undefined) added.push(component);
    else if (isOther(other, component)) changes.push(changed(other, component, before.payload, after.payload));
  }
  // What is left of the old side is gone, or is somewhere else.
  for (const component of added) {
    const from = [...old.values()].find(({ sha256, size }) => sha256 === component.sha256 && size > 0);
    if (from === undefined) changes.push({ kind: "added", after: component });
    else {
      old.delete(from.path);
      changes.push({ kind: "moved", before: from, after: component });
    }
  }
  for (const component of old.values()) changes.push({ kind: "removed", before: component });
  return changes.sort((one, other) => byPath(placeOf(one), placeOf(other)));
}

function placeOf(change: FileChange): Component {
  return change.kind === "removed" ? change.before : change.after;
}

function isOther(one: Component, other: Component): boolean {
  return one.sha256 !== other.sha256 || one.kind !== other.kind || one.effect !== other.effect;
}

function changed(before: Component, after: Component, old: PayloadReader, fresh: PayloadReader): FileChange {
  const leaves = before.sha256 === after.sha256 ? [] : leavesOf(after.path, old(before), fresh(after));
  return { kind: "changed", before, after, leaves };
}

function leavesOf(path: string, before: Uint8Array | null, after: Uint8Array | null): (ValueChange | Hunk)[] | null {
  if (before === null || after === null || !isTextPath(path) || !isUtf8(before) || !isUtf8(after)) return null;
  const [old, fresh] = [utf8Text(before), utf8Text(after)];
  const [was, is] = [dataIn(path, old), dataIn(path, fresh)];
  const values = was === undefined || is === undefined ? [] : valueDiff(was, is);
  // Only its notation changed, or a comment: then its lines tell.
  return values.length > 0 ? values : lineDiff(old, fresh);
}

/** The data of a JSON or YAML file; undefined for any other, and for what is none. */
function dataIn(path: string, text: string): Json | undefined {
  try {
    const documents = strictData(path, text)?.map(plainOf);
    return documents === undefined || documents.length > 1 ? documents : (documents[0] ?? null);
  } catch (error) {
    if (error instanceof DocumentFault) return undefined;
    throw error;
  }
}
