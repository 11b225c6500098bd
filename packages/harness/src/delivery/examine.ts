/** From a bundle in the store to what a life is told about it: verified by the pinned root, or refused with the reason. */
import {
  type BundleStore,
  type Manifest,
  type PinnedRoot,
  pinnedTrust,
  refusalReason,
  switchPoint,
} from "@moorage/bundle/delivery";
import type { Happening, Life, LifeBundle, ManifestFacts, TakesEffect } from "@moorage/core";
import { inUse, lastGood } from "@moorage/core";
import { clipped } from "./trouble.ts";

export interface Trust {
  /** The root that was pinned in the instance. Throws an error of the trust root while it was never read. */
  root(): PinnedRoot;
}

/** A pin is the digest of a root: once read it stays what it is, whatever becomes of its file. */
export function trustIn(folder: string, pin: string): Trust {
  let pinned: PinnedRoot | null = null;
  return {
    root() {
      pinned ??= pinnedTrust(folder, pin);
      return pinned;
    },
  };
}

/** `at`: milliseconds since 1970, when the check began. Throws a `StoreError`, or an error of the trust root. */
export function examine(
  digest: string,
  { life, store, trust, at }: { life: Life; store: BundleStore; trust: Trust; at: number },
): Happening {
  const verdict = verify(digest, { life, store, trust, at, accepted: known(life) });
  if (verdict.kind === "verified") {
    const { manifest } = verdict;
    return { kind: "checked", manifest: factsOf(manifest, digest), takesEffect: effectOf(manifest, life, store) };
  }
  const { reason, message } = verdict;
  if (reason === "signature" || reason === "corrupt" || reason === "malformed")
    return { kind: "rejected", digest, reason, detail: clipped(message) };
  // Its signatures are good, and the life itself finds the same fault in its order: it has the words, and the values.
  const manifest = store.manifest(digest);
  if (manifest === null) return { kind: "rejected", digest, reason: "malformed", detail: clipped(message) };
  return { kind: "checked", manifest: factsOf(manifest, digest), takesEffect: "start" };
}

export type Verified =
  | { readonly kind: "verified"; readonly manifest: Manifest }
  | { readonly kind: "refused"; readonly reason: ReturnType<typeof refusalReason>; readonly message: string };

/** `accepted`: digests that were accepted before, of which neither order nor expiry is asked any more. */
export function verify(
  digest: string,
  options: { life: Life; store: BundleStore; trust: Trust; at: number; accepted: ReadonlySet<string> },
): Verified {
  const { life, store, trust, at, accepted } = options;
  const root = trust.root();
  const { channel, floor } = life;
  const found = store.get(digest, { root, channel, floor, accepted, running: null, now: at });
  switch (found.kind) {
    case "verified":
      return { kind: "verified", manifest: found.bundle.manifest };
    case "missing":
      return { kind: "refused", reason: "corrupt", message: found.message };
    case "refused":
      return { kind: "refused", reason: refusalReason(found.reason), message: found.message };
    default:
      return found satisfies never;
  }
}

export function bundleOf({ catalogHash, sequence, target }: Manifest, digest: string): LifeBundle {
  return { digest, catalogHash, sequence, target };
}

function known(life: Life): ReadonlySet<string> {
  return new Set([inUse(life)?.digest, lastGood(life)?.bundle.digest].filter((digest) => digest !== undefined));
}

function factsOf(manifest: Manifest, digest: string): ManifestFacts {
  const { channel, sequence, parent, target, catalogHash, rootVersion, expires } = manifest;
  const expiresAt = expires === null ? null : Date.parse(expires);
  return { channel, sequence, parent, digest, target, catalogHash, rootVersion, expiresAt };
}

/** Against what is in use. Where that cannot be compared any more, a start is the one moment that is right for all. */
function effectOf(manifest: Manifest, life: Life, store: BundleStore): TakesEffect {
  const used = inUse(life);
  if (used === null) return "turn";
  const before = store.manifest(used.digest);
  return before !== null && switchPoint(before, manifest) !== "start" ? "turn" : "start";
}
