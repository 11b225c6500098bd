/** What `bundle` offers: catalogs as files, from a directory to what may go live. */
export * from "./bundle-error.ts";
export { type BundleFault, refusalReason } from "./bundle-fault.ts";
export { type BundleFile, readBundleFile, writeBundleFile } from "./bundle-file.ts";
export * from "./catalog.ts";
export * from "./catalog-content.ts";
export * from "./catalog-hash.ts";
export type { Publication, PublishedHead } from "./channel-heads.ts";
export { type CatalogLimits, catalogLimits, type IgnoredPath } from "./collect.ts";
export * from "./diff.ts";
export * from "./diff-text.ts";
export * from "./dsse.ts";
export * from "./format-files.ts";
export * from "./format-lock.ts";
export { type ComponentKind, componentKinds, type Effect, effects } from "./layout.ts";
export type { Hunk } from "./line-diff.ts";
export {
  greatestSequence,
  type Manifest,
  manifestBytes,
  manifestDigest,
  manifestFormat,
  parseManifest,
} from "./manifest.ts";
export * from "./store.ts";
export { StoreError, type StoreErrorCode } from "./store-error.ts";
export * from "./switch-point.ts";
export { TrustError, type TrustErrorCode } from "./trust-error.ts";
export * from "./trust-root.ts";
export * from "./trust-store.ts";
export { isUnpacked, linkedName, removeCopies, switchLink, unpackBundle, wholeCopy } from "./unpack.ts";
export type { ValueChange } from "./value-diff.ts";
export * from "./verify-bundle.ts";
