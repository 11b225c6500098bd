/** The line of bundles of each channel: one small file a sequence, made by a link, so that of several publishers one wins. */
import fs from "node:fs";
import { join } from "node:path";
import { type Channel, decidePublish, type Json, type OrderFault } from "@moorage/core";
import { BundleError } from "./bundle-error.ts";
import { canonicalBytes, readCanonical } from "./canonical-document.ts";
import { type Disk, namesIn, sweepUnfinished, writeUnfinished } from "./disk.ts";
import { fieldsOf, matching, orNull, wholeNumber } from "./fields.ts";
import { greatestSequence, readChannel } from "./manifest.ts";
import { StoreError } from "./store-error.ts";
import type { VerifiedBundle } from "./verify-bundle.ts";

/** What was published last in a channel. */
export interface PublishedHead {
  readonly channel: Channel;
  readonly sequence: number;
  /** `sha256:<hex>` of the manifest. */
  readonly digest: string;
  readonly parent: string | null;
  readonly rootVersion: number;
}

export type Publication =
  | { readonly kind: "published"; readonly head: PublishedHead }
  /** It is the head already. */
  | { readonly kind: "already"; readonly head: PublishedHead }
  /** Its parent is not the head (any more): whoever published first is named. Nothing is tried again. */
  | { readonly kind: "worldMoved"; readonly head: PublishedHead | null }
  /** It can never follow this head. */
  | { readonly kind: "refused"; readonly head: PublishedHead | null; readonly fault: OrderFault };

const entryName = /^[0-9]{10}\.json$/;

/** Null when nothing was published. An unreadable head is never passed over for the one before. Throws a `StoreError`. */
export function readHead(folder: string, channel: Channel): PublishedHead | null {
  const line = lineOf(folder, channel);
  const name = namesIn(line)
    .filter((one) => entryName.test(one))
    .sort()
    .at(-1);
  return name === undefined ? null : readEntry(join(line, name), channel, Number(name.slice(0, 10)));
}

/** Compare-and-swap on the parent, across processes; a killed one leaves the old head or the new. */
export function publishHead(disk: Disk, folder: string, bundle: VerifiedBundle, now: number): Publication {
  const { channel, sequence, parent, rootVersion } = bundle.manifest;
  const current = readHead(folder, channel);
  const verdict = decidePublish(channel, current, { ...bundle.manifest, digest: bundle.digest });
  if (verdict.kind === "refuse") return { kind: "refused", head: current, fault: verdict.fault };
  if (verdict.kind === "lost") return { kind: "worldMoved", head: current };
  if (verdict.kind === "already" && current !== null) return { kind: "already", head: current };
  const line = lineOf(folder, channel);
  const head: PublishedHead = { channel, sequence, digest: bundle.digest, parent, rootVersion };
  const entry = join(line, `${String(sequence).padStart(10, "0")}.json`);
  disk.makeFolder(line);
  const fresh = writeUnfinished(disk, entry, [canonicalBytes(head as unknown as Json)]);
  let won: boolean;
  try {
    // The name of the next sequence can be taken once: that is the comparison and the swap.
    won = disk.link(fresh, entry);
  } finally {
    disk.remove(fresh);
  }
  disk.syncFolder(line);
  sweepUnfinished(disk, line, now);
  return won ? { kind: "published", head } : { kind: "worldMoved", head: readHead(folder, channel) };
}

/** Names of channels are lower-case words: none leads anywhere else. */
function lineOf(folder: string, { fleet, catalog }: Channel): string {
  return join(folder, "channels", fleet, catalog);
}

function readEntry(path: string, channel: Channel, sequence: number): PublishedHead {
  const head = parseEntry(path);
  if (head.sequence !== sequence || head.channel.fleet !== channel.fleet || head.channel.catalog !== channel.catalog)
    throw new StoreError("storeCorrupt", `the record of what was published, ${path}, belongs elsewhere`);
  return head;
}

function parseEntry(path: string): PublishedHead {
  try {
    return readCanonical(fs.readFileSync(path), path, (root) => {
      const fields = fieldsOf(root, ["channel", "sequence", "digest", "parent", "rootVersion"]);
      const digest = /^sha256:[0-9a-f]{64}$/;
      return {
        channel: readChannel(fields.channel),
        sequence: wholeNumber(fields.sequence, 1, greatestSequence),
        digest: matching(fields.digest, digest, "a digest"),
        parent: orNull(fields.parent, (field) => matching(field, digest, "a digest")),
        rootVersion: wholeNumber(fields.rootVersion, 1, greatestSequence),
      };
    });
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    throw new StoreError("storeCorrupt", `the record of what was published, ${path}, is damaged: ${error.message}`);
  }
}
