/** The line of bundles of each channel: one link a sequence, whose name can be taken once, so that of several publishers one wins. */
import fs from "node:fs";
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

/** Where a link leads: to the bundle itself, as seen from the folder of the link, `depth` folders below the store's. */
function targetOf(digest: string, depth: number): string {
  return `${"../".repeat(depth)}sha256/${hexOf(digest)}.bundle`;
}

/** Null when nothing was published. A damaged head is never passed over for the one before. Throws a `StoreError`. */
export function readHead(folder: string, channel: Channel): PublishedHead | null {
  const line = lineOf(folder, channel);
  const name = lastIn(line);
  return name === null ? null : entryAt(line, name, 3, channel);
}

/** All that was published in a channel, the newest first. Throws a `StoreError` when one of them is damaged. */
export function readHistory(folder: string, channel: Channel): PublishedHead[] {
  const line = lineOf(folder, channel);
  return entriesIn(line)
    .reverse()
    .map((name) => entryAt(line, name, 3, channel));
}

/** A bundle as it was published in a channel, `likely` under that sequence; null when it was not. Throws a `StoreError`. */
export function findPublished(
  folder: string,
  channel: Channel,
  digest: string,
  likely: number | null,
): PublishedHead | null {
  const line = lineOf(folder, channel);
  if (likely !== null && publishedAs(line, channel, likely) === digest) return { channel, sequence: likely, digest };
  for (const name of entriesIn(line).reverse()) {
    const entry = entryAt(line, name, 3, channel);
    if (entry.digest === digest) return entry;
  }
  return null;
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
  const won = disk.symbolicLink(targetOf(digest, 3), `${line}/${entryNameOf(sequence)}`);
  if (!won) return { kind: "worldMoved", head: readHead(folder, channel) };
  disk.syncFolder(line);
  return { kind: "published", head: { channel, sequence, digest } };
}

/** What is known of a channel beside its heads; each rises, and never falls. */
export type Mark = "assigned" | "confirmed";

/** The highest that has the mark; null when none has. Throws a `StoreError`. */
export function readMark(folder: string, channel: Channel, mark: Mark): PublishedHead | null {
  const place = `${lineOf(folder, channel)}/${mark}`;
  for (let look = 1; ; look += 1) {
    const name = lastIn(place);
    if (name === null) return null;
    try {
      return entryAt(place, name, 4, channel);
    } catch (error) {
      // Swept since: a higher one is there.
      if (codeOf(error) !== "ENOENT" || look === mostLooks) throw error;
    }
  }
}

const mostLooks = 100;

/**
 * Gives the mark to a published bundle, and tells which has it now: a higher one keeps it. One link a sequence, and the
 * highest counts: of several at once none can take it back, and a killed one leaves the old or the new.
 */
export function raiseMark(disk: Disk, folder: string, mark: Mark, head: PublishedHead): PublishedHead {
  const { channel, sequence, digest } = head;
  const line = lineOf(folder, channel);
  if (publishedAs(line, channel, sequence) !== digest)
    throw new StoreError("storeFault", `the bundle ${digest} is not what was published as ${sequence} of its channel`);
  const place = `${line}/${mark}`;
  // A damaged one that is lower does not matter any more: whoever publishes again is over it.
  if (Number(lastIn(place) ?? 0) >= sequence) return readMark(folder, channel, mark) ?? head;
  makeDurableFolder(disk, place);
  const own = disk.symbolicLink(targetOf(digest, 4), `${place}/${entryNameOf(sequence)}`);
  if (own) disk.syncFolder(place);
  const marked = entriesIn(place);
  for (const name of marked) if (Number(name) < sequence) disk.remove(`${place}/${name}`);
  const highest = Number(marked.at(-1)) === sequence;
  return own && highest ? head : (readMark(folder, channel, mark) ?? head);
}

/** Null when nothing was published under that sequence. */
function publishedAs(line: string, channel: Channel, sequence: number): string | null {
  try {
    return entryAt(line, entryNameOf(sequence), 3, channel).digest;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

function entriesIn(place: string): string[] {
  return namesIn(place)
    .filter((name) => entryName.test(name))
    .sort();
}

/** Null where there is none. */
function lastIn(place: string): string | null {
  let last: string | null = null;
  for (const name of namesIn(place)) if ((last === null || name > last) && entryName.test(name)) last = name;
  return last;
}

function entryNameOf(sequence: number): string {
  return String(sequence).padStart(10, "0");
}

function entryAt(place: string, name: string, depth: number, channel: Channel): PublishedHead {
  const path = `${place}/${name}`;
  const target = linkAt(path);
  const hex = /([0-9a-f]{64})\.bundle$/.exec(target)?.[1];
  const digest = `sha256:${hex}`;
  if (hex === undefined || target !== targetOf(digest, depth))
    throw new StoreError("storeCorrupt", `the record of what was published, ${path}, is damaged`);
  return { channel, sequence: Number(name), digest };
}

/** Names of channels are lower-case words: none leads anywhere else. To join such paths by `node:path` costs more than to read what is there. */
function lineOf(folder: string, { fleet, catalog }: Channel): string {
  return `${folder}/channels/${fleet}/${catalog}`;
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
