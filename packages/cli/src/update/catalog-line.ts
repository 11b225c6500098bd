/** The catalogs of declared agents as lines of bundles: which folder is published in which channel, and how the two stand. */
import type { BundleStore, Catalog, CatalogContent, Manifest, PublishedHead } from "@moorage/bundle";
import { openStore, readCatalogContent } from "@moorage/bundle";
import type { Channel, RuntimeTarget } from "@moorage/core";
import { axes } from "@moorage/core";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { guarded } from "../fingerprint/formats.ts";
import type { MachineScope } from "../scope/agent-scope.ts";

/** One channel with the folder that it is published from. */
export interface CatalogLine {
  readonly channel: Channel;
  /** The folder. */
  readonly path: string;
  /** What a bundle of it is authored for: the formats that its agents are declared with. */
  readonly target: RuntimeTarget;
  /** The names of the agents that share it. */
  readonly agents: readonly string[];
}

/** What is published last in a channel. */
export interface Published {
  readonly head: PublishedHead;
  readonly manifest: Manifest;
}

export type FolderState =
  /** The folder is what is published. */
  | { readonly kind: "published"; readonly published: Published }
  /** It is not, or nothing is published yet. */
  | { readonly kind: "edited"; readonly content: CatalogContent; readonly published: Published | null };

export function channelText({ fleet, catalog }: Channel): string {
  return `${fleet}/${catalog}`;
}

/** The store of bundles of this machine. */
export function storeOf({ bundlesFolder }: Pick<MachineScope, "bundlesFolder">): BundleStore {
  return openStore(bundlesFolder, { now: () => Date.now() });
}

/** The channels of these agents, in their order. Throws `formatsDiffer` for two formats behind one catalog, exit 2. */
export function catalogLines(agents: readonly DeclaredAgent[]): CatalogLine[] {
  const lines = new Map<string, CatalogLine>();
  for (const { name, fleet, catalog, fingerprint } of agents) {
    if (catalog === null) continue;
    const channel = { fleet, catalog: catalog.name };
    const key = channelText(channel);
    const line = lines.get(key);
    if (line === undefined) {
      lines.set(key, { channel, path: catalog.path, target: fingerprint, agents: [name] });
      continue;
    }
    const axis = axes.find((one) => line.target[one] !== fingerprint[one]);
    if (axis !== undefined)
      throw new CliError({
        code: "formatsDiffer",
        message: `${line.agents[0]} declares ${axis} ${line.target[axis]} and ${name} ${fingerprint[axis]}, and one catalog is for both: ${key}`,
        hint: `declare the same fingerprint.${axis}, or give ${name} a catalog or a fleet of its own`,
        details: { axis, agents: [line.agents[0], name] },
      });
    lines.set(key, { ...line, agents: [...line.agents, name] });
  }
  return [...lines.values()];
}

/** Null when nothing is published. Throws a `StoreError`. */
export function publishedOf(store: BundleStore, channel: Channel): Published | null {
  const head = store.head(channel);
  if (head === null) return null;
  const manifest = store.manifest(head.digest);
  if (manifest === null)
    throw new CliError({
      code: "storeCorrupt",
      message: `the bundle ${head.sequence} of ${channelText(channel)}, which was published last, is lost`,
      hint: "run `moorage bundle publish`: it publishes its catalog again",
    });
  return { head, manifest };
}

/** Reads the whole folder, as strictly as for publishing. Throws `catalogInvalid`, exit 2, and a `StoreError`. */
export function folderState(store: BundleStore, line: CatalogLine, rootVersion: number | null): FolderState {
  // First: content that was read before somebody else published has to lose against that.
  const published = publishedOf(store, line.channel);
  const content = guarded(() => readCatalogContent(line.path), "catalogInvalid");
  return published !== null && isPublished(content.catalog, line.target, rootVersion, published.manifest)
    ? { kind: "published", published }
    : { kind: "edited", content, published };
}

/** Whether a bundle holds this content, for this runtime, under the trust root that counts (null: none was made yet). */
export function isPublished(
  { hash }: Pick<Catalog, "hash">,
  target: RuntimeTarget,
  rootVersion: number | null,
  manifest: Manifest,
): boolean {
  return (
    manifest.catalogHash === hash &&
    axes.every((axis) => manifest.target[axis] === target[axis]) &&
    (rootVersion === null || manifest.rootVersion === rootVersion)
  );
}
