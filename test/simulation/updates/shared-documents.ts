/** The documents that the callers of a history share: each caller's requests travel over its own wire, and every write is watched. */
import type { DocumentKind, Documents, Refused, StoredDocument, Unavailable, UnknownOutcome } from "@moorage/core";
import type { Wire } from "../wire.ts";

export type Watch = (kind: DocumentKind, name: string, text: string | null) => void;

export class SharedDocuments {
  readonly #stored = new Map<string, { readonly text: string | null; readonly revision: number }>();
  readonly #watch: Watch;

  constructor(watch: Watch) {
    this.#watch = watch;
  }

  read(kind: DocumentKind, name: string): StoredDocument | null {
    const found = this.#stored.get(`${kind}/${name}`);
    return found === undefined || found.text === null ? null : { name, text: found.text, revision: found.revision };
  }

  list(kind: DocumentKind): StoredDocument[] {
    const names = [...this.#stored.keys()].filter((key) => key.startsWith(`${kind}/`)).sort();
    return names.flatMap((key) => this.read(kind, key.slice(kind.length + 1)) ?? []);
  }

  swap(kind: DocumentKind, name: string, seen: number | null, text: string | null): "swapped" | "moved" {
    if ((this.read(kind, name)?.revision ?? null) !== seen) return "moved";
    const key = `${kind}/${name}`;
    this.#stored.set(key, { text, revision: (this.#stored.get(key)?.revision ?? 0) + 1 });
    this.#watch(kind, name, text);
    return "swapped";
  }

  /** At once, without a wire. */
  direct(): Documents {
    return {
      read: async (kind, name) => this.read(kind, name),
      list: async (kind) => this.list(kind),
      swap: async (kind, name, seen, text) => this.swap(kind, name, seen, text),
    };
  }

  /** As one caller reaches them: an answer that does not come is a fault of the place, whether or not the write took effect. */
  over(wire: Wire): Documents {
    return {
      read: async (kind, name) =>
        told(
          await wire.read("readDocument", `${kind}/${name}`, () => ({ kind: "told", value: this.read(kind, name) })),
        ),
      list: async (kind) =>
        told(await wire.read("listDocuments", kind, () => ({ kind: "told", value: this.list(kind) }))),
      swap: async (kind, name, seen, text) =>
        told(
          await wire.write("swapDocument", `${kind}/${name}`, () => ({
            kind: "told",
            value: this.swap(kind, name, seen, text),
          })),
        ),
    };
  }
}

/** Throws what the wire lost. */
export function told<T>(
  answer: { readonly kind: "told"; readonly value: T } | Refused | UnknownOutcome | Unavailable,
): T {
  if (answer.kind === "told") return answer.value;
  throw new Lost(answer.kind === "refused" ? "refused" : answer.detail);
}

/** A fault of the place: the caller ends with it, and whoever comes next goes on. */
export class Lost extends Error {}
