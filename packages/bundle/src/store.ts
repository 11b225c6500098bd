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
import { parseEnvelope } from "./dsse.ts";
import { type KnownManifest, KnownManifests } from "./known-manifests.ts";
import type { Manifest } from "./manifest.ts";
import { isContent, packParts } from "./pack.ts";
import { guarded, StoreError } from "./store-error.ts";
import { StoredFile } from "./stored-file.ts";
import {
  type BundleVerification,
  checkBundle,
  type PayloadReader,
  type VerifiedBundle,
  type VerifyOptions,
} from "./verify-bundle.ts";

/** All throw a `StoreError` for what is wrong with the place; what is wrong with a bundle is a refusal. */
export interface BundleStore {
  /** Stores a verified bundle with its content. A damaged copy that lies there is replaced. */
  put(bundle: VerifiedBundle, payload: PayloadReader): void;
  /** A bundle by its digest, verified like any other; `missing` when there is none. */
  get(digest: string, options: Omit<VerifyOptions, "payload">): StoredBundle;
  /** The manifest that has this digest, as it was once read: not verified. Null when there is none, or a damaged one. */
  manifest(digest: string): Manifest | null;
  /** Calls with a reader of the bundle's content; null when there is no such bundle. */
  withPayload<Value>(bundle: KnownManifest, use: (payload: PayloadReader | null) => Value): Value;
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

/** The store below a folder, which is made when something is put there: `sha256/…`, a file for each bundle, and `channels/…`. */
export function openStore(folder: string, { now, disk = nodeDisk }: StoreOptions): BundleStore {
  const content = join(folder, "sha256");
  const manifests = new KnownManifests();
  let swept = false;
  const fileAt = (digest: string): string => `${content}/${hexOf(digest)}.bundle`;

  /** Calls with the file of a bundle; null when there is none. */
  function withFile<Value>(digest: string, use: (file: StoredFile | null) => Value): Value {
    const file = StoredFile.open(fileAt(digest));
    try {
      return use(file);
    } finally {
      file?.close();
    }
  }

  function withPayload<Value>(
    { manifest, digest }: KnownManifest,
    use: (payload: PayloadReader | null) => Value,
  ): Value {
    return guarded("read the content of a bundle", () =>
      withFile(digest, (file) => use(file === null ? null : file.payload(manifest))),
    );
  }

  function put({ manifest, digest, envelope }: VerifiedBundle, payload: PayloadReader): void {
    guarded("store the bundle", () => {
      const whole = withFile(digest, (file) => file !== null && holdsAll(file, manifest, envelope));
      makeDurableFolder(disk, content);
      if (!whole) replace(fileAt(digest), packParts(envelope, manifest, payload));
      // A look at all that there is, which need not be taken each time.
      if (!swept) sweepUnfinished(disk, content, now());
      swept = true;
      manifests.keep({ manifest, digest });
    });
  }

  function replace(path: string, parts: Iterable<Uint8Array>): void {
    const fresh = writeUnfinished(disk, path, parts);
    try {
      disk.rename(fresh, path);
    } catch (error) {
      disk.remove(fresh);
      throw error;
    }
    disk.syncFolder(content);
  }

  function get(digest: string, options: Omit<VerifyOptions, "payload">): StoredBundle {
    return guarded("read the bundle", () => {
      const verdict = withFile(digest, (file) => file && verdictOn(file, options));
      if (verdict === null) return { kind: "missing", message: `there is no bundle ${digest} in the store` };
      if (verdict.kind === "refused" || verdict.bundle.digest === digest) return verdict;
      throw new StoreError("storeCorrupt", `under ${digest} lies another bundle, ${verdict.bundle.digest}`);
    });
  }

  function verdictOn(file: StoredFile, options: Omit<VerifyOptions, "payload">): BundleVerification {
    return checkBundle(file.envelope, { ...options, manifests, payloadOf: (manifest) => file.payload(manifest) });
  }

  /** Null for what is not there, and for what is not the one of this digest. */
  function readManifest(digest: string): Manifest | null {
    const found = withFile(digest, (file) => file && manifestIn(file.envelope, manifests));
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
      const head = findPublished(folder, channel, digest, manifests.find(digest)?.sequence ?? null);
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
        if (fs.lstatSync(fileAt(bundle.digest), { throwIfNoEntry: false }) === undefined)
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

function holdsAll(file: StoredFile, manifest: Manifest, envelope: Uint8Array): boolean {
  if (Buffer.compare(file.envelope, envelope) !== 0) return false;
  const payload = file.payload(manifest);
  return manifest.components.every((component) => {
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
