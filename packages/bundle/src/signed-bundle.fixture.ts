// Signed bundles for tests, from a few files in memory, and what it takes to verify them.
import { hash } from "node:crypto";
import { bareFloor, type Fingerprint, type Json } from "@moorage/core";
import { generateSigningKey, type SigningKey } from "@moorage/keys";
import { canonicalBytes } from "./canonical-document.ts";
import type { Component } from "./catalog.ts";
import { byPath, catalogHashOf } from "./catalog-hash.ts";
import { envelopeBytes, signEnvelope } from "./dsse.ts";
import { type Manifest, manifestBytes, manifestDigest, manifestFormat } from "./manifest.ts";
import { type PinnedRoot, readRoot, signRoot, trustRoot } from "./trust-root.ts";
import { bundlePayloadType, signManifest, type VerifyOptions } from "./verify-bundle.ts";

export type Files = Readonly<Record<string, string>>;

export const running: Fingerprint = {
  wireVersion: 1,
  eventLogSchema: 2,
  crdApiVersion: "moorage.dev/v1alpha1",
  toolCatalogHash: `v1:sha256:${"0".repeat(64)}`,
};

export function makeKey(): SigningKey {
  return generateSigningKey().key;
}

export function rootOf(
  keys: readonly SigningKey[],
  threshold = 1,
  version = 1,
  expires: string | null = null,
): PinnedRoot {
  const root = trustRoot({ version, threshold, keys: keys.map(({ publicKey }) => publicKey), expires });
  return readRoot(envelopeBytes(signRoot(root, keys)));
}

export function componentsOf(files: Files): Component[] {
  return Object.entries(files)
    .map(
      ([path, text]): Component => ({
        path,
        kind: "prompt",
        effect: "turn",
        size: Buffer.byteLength(text),
        sha256: hash("sha256", text, "hex"),
      }),
    )
    .sort(byPath);
}

export function manifestOf(files: Files, change: Partial<Manifest> = {}): Manifest {
  const components = change.components ?? componentsOf(files);
  const { wireVersion, eventLogSchema, crdApiVersion } = running;
  return {
    format: manifestFormat,
    channel: { fleet: "writers", catalog: "main" },
    sequence: 1,
    parent: null,
    target: { wireVersion, eventLogSchema, crdApiVersion },
    catalogHash: catalogHashOf(components),
    created: "2026-01-01T00:00:00.000Z",
    expires: null,
    rootVersion: 1,
    components,
    ...change,
  };
}

export function signed(manifest: Manifest, ...keys: readonly SigningKey[]): Uint8Array {
  return envelopeBytes(signManifest(manifest, keys));
}

/** A valid signature over whatever bytes. */
export function signedBytes(payload: string | Uint8Array | Json, ...keys: readonly SigningKey[]): Uint8Array {
  const bytes =
    typeof payload === "string"
      ? Buffer.from(payload)
      : payload instanceof Uint8Array
        ? payload
        : canonicalBytes(payload);
  return envelopeBytes(signEnvelope(bundlePayloadType, bytes, keys));
}

export function digestOf(manifest: Manifest): string {
  return manifestDigest(manifestBytes(manifest));
}

export function optionsFor(root: PinnedRoot, files: Files, change: Partial<VerifyOptions> = {}): VerifyOptions {
  return {
    root,
    channel: { fleet: "writers", catalog: "main" },
    floor: bareFloor,
    accepted: new Set(),
    running,
    now: Date.parse("2026-02-01T00:00:00.000Z"),
    payload: ({ path }) => (files[path] === undefined ? null : Buffer.from(files[path])),
    ...change,
  };
}
