/** The line of bundles of each channel: one link a sequence, whose name can be taken once, so that of several publishers one wins. */
import fs from "node:fs";
import { join } from "node:path";
import { type Channel, decidePublish, type OrderFault } from "@moorage/core";
import { hexOf } from "./content-name.ts";
import { type Disk, makeDurableFolder, namesIn } from "./disk.ts";
import { codeOf } from "./node-error.ts";
import { StoreError } from "./store-error.ts";
import type { VerifiedBundle } from "./verify-bundle.ts";

/** What was published last in a channel. */
export interface PublishedHead {
  readonly channel: Channel;
  readonly sequence: number;
  /** `sha256:<hex>` of the manifest. */
  readonly digest: string;
}

export type Publication =
  | { readonly kind: "published"; readonly head: PublishedHead }
  /** It is the head already. */
  | { readonly kind: "already"; readonly head: PublishedHead }
  /** Its parent is not the head (any more): whoever published first is named. Nothing is tried again. */
  | { readonly kind: "worldMoved"; readonly head: PublishedHead | null }
  /** It can never follow this head. */
  | { readonly kind: "refused"; readonly head: PublishedHead | null; readonly fault: OrderFault };

const entryName = /^[0-9]{10}$/;

/** Where a head leads: to the bundle itself, as seen from the folder of its channel. */
const entryTarget = /^\.\.\/\.\.\/\.\.\/sha256\/([0-9a-f]{64})\.bundle$/;

/** Null when nothing was published. A damaged head is never passed over for the one before. Throws a `StoreError`. */
export function readHead(folder: string, channel: Channel): PublishedHead | null {
  const line = lineOf(folder, channel);
  const name = namesIn(line)
    .filter((one) => entryName.test(one))
    .sort()
    .at(-1);
  if (name === undefined) return null;
  return { channel, sequence: Number(name), digest: `sha256:${hexAt(join(line, name))}` };
}

/** Compare-and-swap on the parent, across processes; a killed one leaves the old head or the new. */
export function publishHead(disk: Disk, folder: string, { manifest, digest }: VerifiedBundle): Publication {
  const { channel, sequence } = manifest;
  const current = readHead(folder, channel);
  const verdict = decidePublish(channel, current, { ...manifest, digest });
  if (verdict.kind === "refuse") return { kind: "refused", head: current, fault: verdict.fault };
  if (verdict.kind === "lost") return { kind: "worldMoved", head: current };
  if (verdict.kind === "already" && current !== null) return { kind: "already", head: current };
  const line = lineOf(folder, channel);
  makeDurableFolder(disk, line);
  // The name of the next sequence can be taken once: that is the comparison and the swap, and it is whole at once.
  const target = `../../../sha256/${hexOf(digest)}.bundle`;
  const won = disk.symbolicLink(target, join(line, String(sequence).padStart(10, "0")));
  if (!won) return { kind: "worldMoved", head: readHead(folder, channel) };
  disk.syncFolder(line);
  return { kind: "published", head: { channel, sequence, digest } };
}

/** Names of channels are lower-case words: none leads anywhere else. */
function lineOf(folder: string, { fleet, catalog }: Channel): string {
  return join(folder, "channels", fleet, catalog);
}

function hexAt(path: string): string {
  const hex = entryTarget.exec(linkAt(path))?.[1];
  if (hex === undefined) throw new StoreError("storeCorrupt", `the record of what was published, ${path}, is damaged`);
  return hex;
}

/** Empty for what is no link. */
function linkAt(path: string): string {
  try {
    return fs.readlinkSync(path);
  } catch (error) {
    if (codeOf(error) === "EINVAL") return "";
    throw error;
  }
}
