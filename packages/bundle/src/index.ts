/** What `bundle` offers: catalogs as files, from a directory to what may go live. */
export * from "./bundle-error.ts";
export * from "./catalog.ts";
export * from "./catalog-hash.ts";
export { type CatalogLimits, catalogLimits, type IgnoredPath } from "./collect.ts";
export { type ComponentKind, componentKinds, type Effect, effects } from "./layout.ts";
