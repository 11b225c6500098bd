/** The store of bundles: content-addressed, below one folder, whole or not there whatever happens in between. */
import fs from "node:fs";
import { join } from "node:path";
import { bareFloor, type Channel, type Floor } from "@moorage/core";
import {
  findPublished,
  type Publication,
  type PublishedHead,
  publishHead,
  raiseMark,
  readHead,
  readHistory,
  readMark,
} from "./channel-heads.ts";
import { hexOf } from "./content-name.ts";
import { type Disk, makeDurableFolder, nodeDisk, sweepUnfinished, writeUnfinished } from "./disk.ts";
import { envelopeLimits, parseEnvelope } from "./dsse.ts";
import { readOpen } from "./file-content.ts";
import { type KnownManifest, KnownManifests } from "./known-manifests.ts";
import type { Manifest } from "./manifest.ts";
import { codeOf } from "./node-error.ts";
import { isContent, PackReader, packParts } from "./pack.ts";
import { guarded, StoreError } from "./store-error.ts";
import {
  type BundleVerification,
  checkBundle,
  type PayloadReader,
  type VerifiedBundle,
  type VerifyOptions,
} from "./verify-bundle.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** All throw a `StoreError` for what is wrong with the place; what is wrong with a bundle is a refusal. */
export interface BundleStore {
  /** Stores a verified bundle with its content. A damaged copy that lies there is replaced. */
  put(bundle: VerifiedBundle, payload: PayloadReader): void;
  /** A bundle by its digest, verified like any other; `missing` when there is none. */
  get(digest: string, options: Omit<VerifyOptions, "payload">): StoredBundle;
  /** The manifest that has this digest, as it was once read: not verified. Null when there is none, or a damaged one. */
  manifest(digest: string): Manifest | null;
  /** Calls with a reader of the bundle's content; null when there is no content at all. */
  withPayload<Value>(manifest: Manifest, use: (payload: PayloadReader | null) => Value): Value;
  head(channel: Channel): PublishedHead | null;
  /** The floor that the head of a channel sets for whoever begins here; `bareFloor` before the first. */
  floor(channel: Channel): Floor;
  /** Puts the bundle at the head of its channel, if its parent is there. It has to be stored before. */
  publish(bundle: VerifiedBundle): Publication;
  /** All that was published in a channel, the newest first. */
  history(channel: Channel): readonly PublishedHead[];
  /** What the whole fleet is given; null when nothing was. */
  assigned(channel: Channel): PublishedHead | null;
  /** Gives a published bundle to the whole fleet. Only ever rises: what is assigned now is told. */
  assign(channel: Channel, digest: string): PublishedHead;
  /** The highest that any agent has confirmed; null when none has. */
  confirmed(channel: Channel): PublishedHead | null;
  /** An agent has confirmed a published bundle. Only ever rises: what is confirmed now is told. */
  confirm(head: PublishedHead): PublishedHead;
}

export type StoredBundle = BundleVerification | { readonly kind: "missing"; readonly message: string };

export interface StoreOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly disk?: Disk;
}

/** The store below a folder, which is made when something is put there: `sha256/…` and `channels/…`. */
export function openStore(folder: string, { now, disk = nodeDisk }: StoreOptions): BundleStore {
  const content = join(folder, "sha256");
  const manifests = new KnownManifests();
  let swept = false;
  const envelopeAt = (digest: string): string => `${content}/${hexOf(digest)}.bundle`;
  const packAt = (catalogHash: string): string => `${content}/${hexOf(catalogHash)}.catalog`;

  function withPayload<Value>(manifest: Manifest, use: (payload: PayloadReader | null) => Value): Value {
    return guarded("read the content of a bundle", () => {
      const pack = PackReader.open(packAt(manifest.catalogHash), manifest);
      try {
        return use(pack?.read ?? null);
      } finally {
        pack?.close();
      }
    });
  }

  function put({ manifest, digest, envelope }: VerifiedBundle, payload: PayloadReader): void {
    guarded("store the bundle", () => {
      const whole = withPayload(manifest, (stored) => stored !== null && holdsAll(manifest, stored));
      const signed = readEnvelope(envelopeAt(digest));
      const fresh: (readonly [string, string])[] = [];
      makeDurableFolder(disk, content);
      try {
        if (!whole) add(packAt(manifest.catalogHash), packParts(manifest, payload));
        if (signed === null || Buffer.compare(signed, envelope) !== 0) add(envelopeAt(digest), [envelope]);
        for (const [from, to] of fresh) disk.rename(from, to);
      } catch (error) {
        for (const [from] of fresh) disk.remove(from);
        throw error;
      }
      if (fresh.length > 0) disk.syncFolder(content);
      // A look at all that there is, which need not be taken each time.
      if (!swept) sweepUnfinished(disk, content, now());
      swept = true;

      function add(path: string, parts: Iterable<Uint8Array>): void {
        fresh.push([writeUnfinished(disk, path, parts), path]);
      }
    });
  }

  function get(digest: string, options: Omit<VerifyOptions, "payload">): StoredBundle {
    return guarded("read the bundle", () => {
      const envelope = readEnvelope(envelopeAt(digest));
      if (envelope === null) return { kind: "missing", message: `there is no bundle ${digest} in the store` };
      const verdict = checkBundle(envelope, { ...options, manifests, withPayload });
      if (verdict.kind === "refused" || verdict.bundle.digest === digest) return verdict;
      throw new StoreError("storeCorrupt", `under ${digest} lies another bundle, ${verdict.bundle.digest}`);
    });
  }

  /** Null for what is not there, and for what is not the one of this digest. */
  function readManifest(digest: string): Manifest | null {
    const envelope = readEnvelope(envelopeAt(digest));
    const found = envelope === null ? null : manifestIn(envelope, manifests);
    return found?.digest === digest ? found.manifest : null;
  }

  function manifest(digest: string): Manifest | null {
    return manifests.find(digest) ?? guarded("read the bundle", () => readManifest(digest));
  }

  function floor(channel: Channel): Floor {
    const head = guarded("read what was published", () => readHead(folder, channel));
    if (head === null) return bareFloor;
    const { sequence, digest } = head;
    const found = guarded("read the bundle", () => readManifest(digest));
    if (found?.sequence !== sequence)
      throw new StoreError("storeCorrupt", `the bundle that was published last, ${digest}, is lost or damaged`);
    return { sequence, digest, rootVersion: found.rootVersion };
  }

  function assign(channel: Channel, digest: string): PublishedHead {
    return guarded("assign the bundle", () => {
      const head = findPublished(folder, channel, digest);
      if (head === null)
        throw new StoreError(
          "storeFault",
          `the bundle ${digest} was not published in ${channel.fleet}/${channel.catalog}`,
        );
      return raiseMark(disk, folder, "assigned", head);
    });
  }

  return {
    put,
    get,
    withPayload,
    manifest,
    floor,
    head: (channel) => guarded("read what was published", () => readHead(folder, channel)),
    publish: (bundle) =>
      guarded("publish the bundle", () => {
        if (readEnvelope(envelopeAt(bundle.digest)) === null)
          throw new StoreError("storeFault", `the bundle ${bundle.digest} is not stored, and cannot be published`);
        return publishHead(disk, folder, bundle);
      }),
    history: (channel) => guarded("read what was published", () => readHistory(folder, channel)),
    assigned: (channel) => guarded("read what was assigned", () => readMark(folder, channel, "assigned")),
    assign,
    confirmed: (channel) => guarded("read what was confirmed", () => readMark(folder, channel, "confirmed")),
    confirm: (head) => guarded("keep what was confirmed", () => raiseMark(disk, folder, "confirmed", head)),
  };
}

function holdsAll({ components }: Manifest, payload: PayloadReader): boolean {
  return components.every((component) => {
    const bytes = payload(component);
    return bytes !== null && isContent(component, bytes);
  });
}

/** Null for what cannot be a bundle's: that is told by whoever verifies. */
function manifestIn(envelope: Uint8Array, manifests: KnownManifests): KnownManifest | null {
  try {
    return manifests.read(parseEnvelope(envelope).payload);
  } catch {
    return null;
  }
}

/** At most one byte more than an envelope may have; null when there is none. */
function readEnvelope(path: string): Uint8Array | null {
  let file: number;
  try {
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
  try {
    return readOpen(file, Math.min(fs.fstatSync(file).size, envelopeLimits.bytes + 1));
  } finally {
    fs.closeSync(file);
  }
}
