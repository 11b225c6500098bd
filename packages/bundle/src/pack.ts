/** How a bundle lies in one file: a first line that says so, the envelope, and the content of all components after it, in the manifest's order. */
import { hash } from "node:crypto";
import type { Component } from "./catalog.ts";
import type { Manifest } from "./manifest.ts";
import { StoreError } from "./store-error.ts";
import type { PayloadReader } from "./verify-bundle.ts";

type Components = Pick<Manifest, "components">;

const magic = "moorage.dev/bundle-file/v1";
/** `moorage.dev/bundle-file/v1 4711`, with the bytes of the envelope. */
const firstLine = /^moorage\.dev\/bundle-file\/v1 ([1-9]\d{0,7})\n/;
/** Bytes. */
export const longestFirstLine: number = magic.length + 10;

export interface EnvelopePlace {
  readonly begin: number;
  /** Where the content begins. */
  readonly end: number;
}

/** By the first bytes of a file; null for what is no bundle. */
export function envelopePlace(bytes: Uint8Array): EnvelopePlace | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, longestFirstLine)).toString("latin1");
  const head = firstLine.exec(text);
  return head === null ? null : { begin: head[0].length, end: head[0].length + Number(head[1]) };
}

/** The parts of a file, the content of each component proved to be what was signed. Throws a `StoreError`. */
export function* packParts(
  envelope: Uint8Array,
  { components }: Components,
  payload: PayloadReader,
): Generator<Uint8Array> {
  yield Buffer.from(`${magic} ${envelope.length}\n`);
  yield envelope;
  for (const component of components) {
    const bytes = payload(component);
    if (bytes === null || !isContent(component, bytes))
      throw new StoreError("storeCorrupt", `${component.path} is not what was signed: nothing is stored`);
    yield bytes;
  }
}

/** Whether bytes are those of a component. */
export function isContent({ size, sha256 }: Component, bytes: Uint8Array): boolean {
  return bytes.length === size && hash("sha256", bytes, "hex") === sha256;
}

/** Where each component begins, counted from the begin of the content, and the bytes of all; by path. */
export function placesOf({ components }: Components): {
  readonly places: ReadonlyMap<string, number>;
  readonly size: number;
} {
  const places = new Map<string, number>();
  let size = 0;
  for (const component of components) {
    places.set(component.path, size);
    size += component.size;
  }
  return { places, size };
}
