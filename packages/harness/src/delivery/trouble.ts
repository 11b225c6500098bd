/** What kept a bundle from going on, as its life knows it: passing trouble is tried again, damage is final. */
import { StoreError } from "@moorage/bundle/delivery";
import type { Happening } from "@moorage/core";

export function troubleWith(digest: string, error: unknown): Extract<Happening, { kind: "failed" | "rejected" }> {
  const code = error instanceof StoreError ? error.code : null;
  switch (code) {
    case "storeCorrupt":
      return { kind: "rejected", digest, reason: "corrupt", detail: clipped(words(error)) };
    case "storeFull":
    case "storeReadOnly":
      return { kind: "failed", digest, cause: "diskFull" };
    case "storeUnreadable":
    case "storeFault":
    case null:
      return { kind: "failed", digest, cause: "unreachable" };
    default:
      return code satisfies never;
  }
}

/** A life is kept in a slot of fixed size. UTF-16 code units. */
export function clipped(detail: string): string {
  return detail.length > 240 ? `${detail.slice(0, 239)}…` : detail;
}

export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
