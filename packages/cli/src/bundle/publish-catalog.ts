/** From a folder, or from a bundle in a file, to the head of a channel: the one way of every command that publishes. Nothing is delivered by it. */
import type { BundleFile, Manifest, Publication, PublishedHead } from "@moorage/bundle";
import { ensureTrust, manifestDigest, readCatalogContent, verifyBundle } from "@moorage/bundle";
import { bareFloor } from "@moorage/core";
import { CliError } from "../errors/cli-error.ts";
import { guarded } from "../fingerprint/formats.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { CatalogLine, Published } from "../update/catalog-line.ts";
import { channelText, folderState, storeOf } from "../update/catalog-line.ts";
import type { Parent } from "../update/publish-content.ts";
import { publishContent } from "../update/publish-content.ts";

type Place = Pick<MachineScope, "bundlesFolder" | "trustFolder">;

export type PublishedBundle =
  /** `already`: the head holds the very same, for the same runtime, signed for the root that counts. */
  | { readonly kind: "published" | "already"; readonly head: PublishedHead; readonly manifest: Manifest }
  /** Somebody else published on its parent. Never tried again by itself: older content must not win by being stubborn. */
  | { readonly kind: "worldMoved"; readonly head: PublishedHead | null };

/** Reads the folder strictly, and publishes it on what was the head before it was read. Throws `catalogInvalid` (exit 2), errors of keys, trust and store. */
export function publishCatalog(line: CatalogLine, place: Place): PublishedBundle {
  const store = storeOf(place);
  const head = store.head(line.channel);
  if (head !== null && store.manifest(head.digest) === null) return publishOn({ head, manifest: lost }, line, place);
  const { version } = ensureTrust(place.trustFolder).root;
  const state = folderState(store, line, version);
  if (state.kind === "edited") return outcomeOf(publishContent(line, state.content, state.published, place), place);
  const { published } = state;
  return isWhole(published, place) ? { kind: "already", ...published } : publishOn(published, line, place);
}

/** The head is known by its link alone: what is published on it is what its channel has from then on. */
const lost: Parent["manifest"] = { rootVersion: 0 };

function publishOn(parent: Parent, line: CatalogLine, place: Place): PublishedBundle {
  const content = guarded(() => readCatalogContent(line.path), "catalogInvalid");
  return outcomeOf(publishContent(line, content, parent, place), place);
}

/** Publishes what a file holds, if its signatures count here and its parent is the head; `name` is what it is called. Throws `bundleRefused`, exit 4. */
export function publishFile(
  { bytes, manifest, payload, envelope }: BundleFile,
  name: string,
  place: Place,
): PublishedBundle {
  const { channel } = manifest;
  const store = storeOf(place);
  const root = ensureTrust(place.trustFolder);
  // Against its channel's head it is compared below: a lost race is another answer than a refusal.
  const options = {
    root,
    channel,
    floor: bareFloor,
    accepted: new Set<string>(),
    running: null,
    now: Date.now(),
    payload,
  };
  const verified = verifyBundle(bytes, options);
  if (verified.kind === "refused") throw refusedError(withFile(verified, name));
  const head = store.head(channel);
  const isHead = head?.digest === manifestDigest(envelope.payload);
  if (!isHead && manifest.parent !== (head?.digest ?? null)) return { kind: "worldMoved", head };
  store.put(verified.bundle, payload);
  return outcomeOf(store.publish(verified.bundle), place);
}

/** What is lost or damaged is published again. */
function isWhole({ head }: Published, place: Place): boolean {
  const root = ensureTrust(place.trustFolder);
  const accepted = new Set([head.digest]);
  const options = { root, channel: head.channel, floor: bareFloor, accepted, running: null, now: Date.now() };
  return storeOf(place).get(head.digest, options).kind === "verified";
}

function outcomeOf(publication: Publication, place: Place): PublishedBundle {
  switch (publication.kind) {
    case "published":
    case "already": {
      const { head } = publication;
      const manifest = storeOf(place).manifest(head.digest);
      if (manifest === null) throw new Error(`${head.digest} is not there after it was published`);
      return { kind: publication.kind, head, manifest };
    }
    case "worldMoved":
      return { kind: "worldMoved", head: publication.head };
    case "refused":
      throw new CliError({
        code: "bundleRefused",
        message: `the bundle cannot follow what was published last in its channel (${publication.fault})`,
        hint: "build it again: `moorage bundle build --output FILE`",
        details: { reason: publication.fault },
      });
    default:
      return publication satisfies never;
  }
}

export interface BundleRefused {
  readonly reason: string;
  readonly message: string;
  readonly hint: string;
}

const wantsSignature = new Set(["unsigned", "wrongKey", "thresholdNotMet"]);

/** A signature is put on a file by a command of its own. */
export function withFile<T extends BundleRefused>(refused: T, name: string): T {
  return wantsSignature.has(refused.reason) ? { ...refused, hint: `run \`moorage bundle sign ${name}\`` } : refused;
}

export function refusedError({ reason, message, hint }: BundleRefused): CliError {
  return new CliError({ code: "bundleRefused", message, hint, details: { reason } });
}

/** What a lost race is told as; exit 5. */
export function movedText(channel: PublishedHead["channel"], head: PublishedHead | null): string {
  const now = head === null ? "nothing is published in it any more" : `its head is ${head.sequence} now`;
  return `somebody else published in ${channelText(channel)} meanwhile: ${now}; nothing was published`;
}
