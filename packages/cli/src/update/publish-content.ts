/** A catalog as the next bundle of its channel: signed with this machine's key, stored, published on its parent. */
import type { Catalog, CatalogContent, Manifest, Publication, PublishedHead } from "@moorage/bundle";
import { ensureTrust, envelopeBytes, nextManifest, signingKeyOf, signManifest, verifyBundle } from "@moorage/bundle";
import type { Channel } from "@moorage/core";
import { bareFloor } from "@moorage/core";
import { CliError } from "../errors/cli-error.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { CatalogLine } from "./catalog-line.ts";
import { storeOf } from "./catalog-line.ts";

/** What became of it, with what was signed. */
export type PublishedNow = Publication & {
  readonly channel: Channel;
  readonly digest: string;
  readonly manifest: Manifest;
  readonly keyId: string;
};

/** What is published on; of a bundle that is lost no root version is known, and 0 stands for it. */
export interface Parent {
  readonly head: PublishedHead;
  readonly manifest: Pick<Manifest, "rootVersion">;
}

/**
 * `parent`: what was published when the content was read; null: nothing. Whoever has published on it meanwhile wins, and it is
 * not tried again. Throws errors of the keys, the trust and the store.
 */
export function publishContent(
  { channel, target }: Pick<CatalogLine, "channel" | "target">,
  { catalog, payload }: Pick<CatalogContent, "payload"> & { readonly catalog: Pick<Catalog, "hash" | "components"> },
  parent: Parent | null,
  machine: Pick<MachineScope, "bundlesFolder" | "trustFolder">,
): PublishedNow {
  const store = storeOf(machine);
  const root = ensureTrust(machine.trustFolder);
  const floor = parent === null ? bareFloor : { ...parent.head, rootVersion: parent.manifest.rootVersion };
  const manifest = nextManifest(catalog, {
    channel,
    parent: parent?.head ?? null,
    target,
    rootVersion: root.root.version,
    created: new Date().toISOString(),
    expires: null,
  });
  const key = signingKeyOf(machine.trustFolder);
  const envelope = envelopeBytes(signManifest(manifest, [key]));
  const now = Date.now();
  const verified = verifyBundle(envelope, { root, channel, floor, accepted: new Set(), running: null, now, payload });
  if (verified.kind === "refused") {
    const { message, hint, reason } = verified;
    throw new CliError({ code: "bundleRefused", message, hint, details: { reason } });
  }
  store.put(verified.bundle, payload);
  return { ...store.publish(verified.bundle), channel, digest: verified.bundle.digest, manifest, keyId: key.keyId };
}
