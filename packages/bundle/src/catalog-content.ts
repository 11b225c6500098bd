/** A catalog with its content in memory, and the manifest that it has as the next bundle of its channel. */
import type { Channel, RuntimeTarget } from "@moorage/core";
import { type Catalog, readCatalog } from "./catalog.ts";
import type { CatalogLimits } from "./collect.ts";
import { type Manifest, manifestFormat } from "./manifest.ts";
import type { PayloadReader } from "./verify-bundle.ts";

export interface CatalogContent {
  readonly catalog: Catalog;
  /** The content as it was hashed, whatever becomes of the directory. */
  readonly payload: PayloadReader;
}

/** Reads a whole catalog, strictly. Its content is bounded by the limits. Throws a `BundleError`. */
export function readCatalogContent(directory: string, limits?: CatalogLimits): CatalogContent {
  const content = new Map<string, Uint8Array>();
  const catalog = readCatalog(directory, {
    ...(limits === undefined ? {} : { limits }),
    onFile: (path, bytes) => content.set(path, Uint8Array.from(bytes)),
  });
  return { catalog, payload: ({ path }) => content.get(path) ?? null };
}

/** `parent` is the head of the channel, null for its first bundle. Times are UTC with milliseconds. */
export function nextManifest(
  { hash, components }: Pick<Catalog, "hash" | "components">,
  facts: {
    readonly channel: Channel;
    readonly parent: { readonly sequence: number; readonly digest: string } | null;
    readonly target: RuntimeTarget;
    readonly rootVersion: number;
    readonly created: string;
    readonly expires: string | null;
  },
): Manifest {
  const { channel, parent, target, rootVersion, created, expires } = facts;
  return {
    format: manifestFormat,
    channel,
    sequence: (parent?.sequence ?? 0) + 1,
    parent: parent?.digest ?? null,
    target,
    catalogHash: hash,
    created,
    expires,
    rootVersion,
    components,
  };
}
