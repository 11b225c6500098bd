/** What whoever delivers bundles needs of `bundle`: the store and what may go live. Nothing here reads a catalog's sources, nor loads YAML. */
export { refusalReason } from "./bundle-fault.ts";
export { catalogHashOf, type HashedFile } from "./catalog-hash.ts";
export type { PublishedHead } from "./channel-heads.ts";
export { type Disk, makeDurableFolder, namesIn, nodeDisk, unfinished, writeUnfinished } from "./disk.ts";
export { type Manifest, manifestBytes, manifestDigest } from "./manifest.ts";
export { type BundleStore, openStore } from "./store.ts";
export { guarded, StoreError } from "./store-error.ts";
export { switchPoint } from "./switch-point.ts";
export type { PinnedRoot } from "./trust-root.ts";
export { pinnedTrust } from "./trust-store.ts";
export { linkedName, removeCopies, switchLink, unpackAnew } from "./unpack.ts";
export type { VerifiedBundle } from "./verify-bundle.ts";
