/** What is offered to one agent: what its channel assigns, or a bundle for it alone; the highest sequence wins. */
import type { BundleStore } from "@moorage/bundle/delivery";
import type { BundleOffer, Channel } from "@moorage/core";
import { readOffer } from "./delivery-files.ts";

export type Found =
  | { readonly kind: "none" }
  | { readonly kind: "offer"; readonly offer: Omit<BundleOffer, "nonce"> }
  /** The store has nothing that can be read under its digest. */
  | { readonly kind: "lost"; readonly digest: string }
  /** The one that was looked at last. */
  | { readonly kind: "same" };

export interface OffersRequest {
  readonly folder: string;
  readonly channel: Channel;
  readonly store: BundleStore;
  /** Of what was looked at last: nothing more is read for it. */
  readonly last: string | null;
}

/** Throws a `StoreError`. */
export function findOffer({ folder, channel, store, last }: OffersRequest): Found {
  const mine = readOffer(folder);
  const assigned = store.assigned(channel);
  if (mine !== null && mine.sequence >= (assigned?.sequence ?? 0))
    return mine.digest === last ? { kind: "same" } : { kind: "offer", offer: mine };
  if (assigned === null) return { kind: "none" };
  const { digest, sequence } = assigned;
  if (digest === last) return { kind: "same" };
  const manifest = store.manifest(digest);
  return manifest === null
    ? { kind: "lost", digest }
    : { kind: "offer", offer: { digest, sequence, catalogHash: manifest.catalogHash } };
}
