/** JSON that is letter by letter what Node writes, read by Node itself: nearly every document that a machine made is. */
import type { Json } from "@moorage/core";
import { type DocumentNode, documentLimits, type Member } from "./document.ts";

export interface WrittenJson {
  /** As `strictJson` would give it, but for the places of its values, which are not known. */
  readonly node: DocumentNode;
  /** Whether the keys of all records are in the order of RFC 8785: then the source is the canonical form of its data. */
  readonly sorted: boolean;
}

/**
 * Null for what has to be read strictly, be it valid or not. What Node writes again as it stood has no key twice, no space
 * and one form of each number; without a backslash, in text that was valid UTF-8, no half of a surrogate pair either.
 */
export function writtenJson(source: string): WrittenJson | null {
  if (source.length > documentLimits.jsonUnits || source.includes("\\")) return null;
  try {
    const value = JSON.parse(source) as Json;
    return JSON.stringify(value) === source ? new TreeMaker().tree(value) : null;
  } catch {
    return null;
  }
}

/** Lives for one document. */
class TreeMaker {
  #left = documentLimits.values;
  #sorted = true;

  tree(value: Json): WrittenJson | null {
    const node = this.#node(value, 0);
    return node === null ? null : { node, sorted: this.#sorted };
  }

  /** Null beyond the limits, and for an integer that readers disagree about. */
  #node(value: Json, depth: number): DocumentNode | null {
    this.#left -= 1;
    if (this.#left < 0 || depth > documentLimits.depth) return null;
    if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) return null;
    if (typeof value !== "object" || value === null) return { kind: "value", at: 0, value };
    return Array.isArray(value)
      ? this.#list(value, depth + 1)
      : this.#record(value as { readonly [key: string]: Json }, depth + 1);
  }

  #list(list: readonly Json[], depth: number): DocumentNode | null {
    const items: DocumentNode[] = [];
    for (const value of list) {
      const item = this.#node(value, depth);
      if (item === null) return null;
      items.push(item);
    }
    return { kind: "list", at: 0, items };
  }

  #record(record: { readonly [key: string]: Json }, depth: number): DocumentNode | null {
    const members = new Map<string, Member>();
    let before: string | null = null;
    for (const key of Object.keys(record)) {
      const value = this.#node(record[key] as Json, depth);
      if (value === null) return null;
      if (before !== null && key < before) this.#sorted = false;
      before = key;
      members.set(key, { at: 0, value });
    }
    return { kind: "record", at: 0, members };
  }
}
