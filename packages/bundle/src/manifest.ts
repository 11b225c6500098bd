/** The manifest of a bundle: what is signed. Where it belongs, for which runtime it was authored, and what it holds. */
import { hash } from "node:crypto";
import { type Channel, FingerprintError, type Json, type RuntimeTarget, readRuntimeTarget } from "@moorage/core";
import { canonicalBytes, readCanonical } from "./canonical-document.ts";
import type { Component } from "./catalog.ts";
import { catalogHashOf } from "./catalog-hash.ts";
import { collision, pathMistake } from "./catalog-path.ts";
import { catalogLimits } from "./collect.ts";
import { plainOf } from "./document.ts";
import {
  checkFormat,
  type Field,
  fail,
  fieldsOf,
  hexDigits,
  instant,
  listOf,
  matching,
  oneOf,
  orNull,
  textOf,
  wholeNumber,
} from "./fields.ts";
import { componentKinds, effects } from "./layout.ts";

export const manifestFormat = "moorage.dev/bundle/v1";

export interface Manifest {
  readonly format: typeof manifestFormat;
  readonly channel: Channel;
  /** From 1; the parent's plus one. */
  readonly sequence: number;
  /** Digest of the channel's previous manifest, `sha256:<hex>`; null for the first. */
  readonly parent: string | null;
  readonly target: RuntimeTarget;
  /** `v1:sha256:<hex>` over the components. */
  readonly catalogHash: string;
  /** UTC with milliseconds, as all times here. */
  readonly created: string;
  /** From then on it is not accepted any more; null: never. */
  readonly expires: string | null;
  /** Of the trust root that its signatures count for. */
  readonly rootVersion: number;
  /** Sorted by path, in UTF-16 code units. */
  readonly components: readonly Component[];
}

/** Far beyond what anybody publishes, and far from where numbers end. */
export const greatestSequence: number = 2 ** 31 - 1;

const digestForm = /^sha256:[0-9a-f]{64}$/;
const hashForm = /^v1:sha256:[0-9a-f]{64}$/;
const nameForm = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/** The bytes that are signed and whose digest names the manifest. */
export function manifestBytes(manifest: Manifest): Uint8Array {
  return canonicalBytes(manifest as unknown as Json);
}

/** `sha256:<hex>` of a manifest's bytes. */
export function manifestDigest(bytes: Uint8Array): string {
  return `sha256:${hash("sha256", bytes, "hex")}`;
}

/** Throws a `BundleError` that names the place of whatever is unknown, missing, repeated or wrong. */
export function parseManifest(bytes: Uint8Array): Manifest {
  return readCanonical(bytes, "manifest", (root) => {
    checkFormat(root, manifestFormat);
    const fields = fieldsOf(root, [
      "format",
      "channel",
      "sequence",
      "parent",
      "target",
      "catalogHash",
      "created",
      "expires",
      "rootVersion",
      "components",
    ]);
    const manifest: Manifest = {
      format: manifestFormat,
      channel: readChannel(fields.channel),
      sequence: wholeNumber(fields.sequence, 1, greatestSequence),
      parent: orNull(fields.parent, (field) => matching(field, digestForm, "a digest, sha256: and 64 hex digits")),
      target: readTarget(fields.target),
      catalogHash: matching(fields.catalogHash, hashForm, "a catalog hash, v1:sha256: and 64 hex digits"),
      created: instant(fields.created),
      expires: orNull(fields.expires, instant),
      rootVersion: wholeNumber(fields.rootVersion, 1, greatestSequence),
      components: readComponents(fields.components),
    };
    if ((manifest.parent === null) !== (manifest.sequence === 1))
      fail(fields.parent, "malformedField", "does not fit the sequence: the first one, and no other, has no parent");
    if (manifest.expires !== null && manifest.expires <= manifest.created)
      fail(fields.expires, "malformedField", "is not after the time of making");
    if (catalogHashOf(manifest.components) !== manifest.catalogHash)
      fail(fields.catalogHash, "catalogHash", "is not the hash of the components");
    return manifest;
  });
}

function readChannel(field: Field): Channel {
  const { fleet, catalog } = fieldsOf(field, ["fleet", "catalog"]);
  const name = "a name of lower-case letters, digits, dots and hyphens";
  return { fleet: matching(fleet, nameForm, name), catalog: matching(catalog, nameForm, name) };
}

function readTarget(field: Field): RuntimeTarget {
  try {
    return readRuntimeTarget(plainOf(field.node));
  } catch (error) {
    if (error instanceof FingerprintError) return fail(field, error.code, error.message);
    throw error;
  }
}

function readComponents(field: Field): Component[] {
  const components = listOf(field, catalogLimits.files).map(readComponent);
  if (components.length === 0) fail(field, "catalogEmpty", "is empty");
  let bytes = 0;
  for (const [index, { path, size }] of components.entries()) {
    const before = components[index - 1];
    if (before !== undefined && before.path >= path)
      fail(field, "notSorted", "is not sorted by path, or names one twice");
    bytes += size;
  }
  if (bytes > catalogLimits.bytes) fail(field, "tooManyBytes", `holds more than ${catalogLimits.bytes} bytes`);
  const pair = collision(components.map(({ path }) => path));
  if (pair !== null) fail(field, "pathCollision", "names two files that are one on some systems");
  return components;
}

function readComponent(field: Field): Component {
  const { path, kind, effect, size, sha256 } = fieldsOf(field, ["path", "kind", "effect", "size", "sha256"]);
  const mistake = pathMistake(textOf(path));
  if (mistake !== null) fail(path, "pathInvalid", mistake);
  return {
    path: textOf(path),
    kind: oneOf(kind, componentKinds),
    effect: oneOf(effect, effects),
    size: wholeNumber(size, 0, catalogLimits.bytes),
    sha256: hexDigits(sha256),
  };
}
