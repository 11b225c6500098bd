/** A pack: the content of all components of one catalog, one after the other in the manifest's order, in one file. */
import { hash } from "node:crypto";
import fs from "node:fs";
import type { Component } from "./catalog.ts";
import type { Manifest } from "./manifest.ts";
import { codeOf } from "./node-error.ts";
import { StoreError } from "./store-error.ts";
import type { PayloadReader } from "./verify-bundle.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

type Components = Pick<Manifest, "components">;

/** The parts of a pack, each proved to be what was signed. Throws a `StoreError`. */
export function* packParts({ components }: Components, payload: PayloadReader): Generator<Uint8Array> {
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

/** Reads the components out of a pack; null for what is not there, or not whole. The bytes are not proved. */
export class PackReader {
  readonly #file: number;
  readonly #places = new Map<string, number>();

  /** Null when there is no pack, or something else in its place. */
  static open(path: string, manifest: Components): PackReader | null {
    try {
      // Nothing waits for whoever writes into a pipe.
      const file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      if (fs.fstatSync(file).isFile()) return new PackReader(file, manifest);
      fs.closeSync(file);
      return null;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return null;
      throw error;
    }
  }

  private constructor(file: number, { components }: Components) {
    this.#file = file;
    let at = 0;
    for (const { path, size } of components) {
      this.#places.set(path, at);
      at += size;
    }
  }

  readonly read: PayloadReader = ({ path, size }) => {
    const at = this.#places.get(path);
    if (at === undefined) return null;
    const bytes = Buffer.allocUnsafe(size);
    for (let length = 0; length < size; ) {
      const read = fs.readSync(this.#file, bytes, length, size - length, at + length);
      if (read === 0) return null;
      length += read;
    }
    return bytes;
  };

  close(): void {
    fs.closeSync(this.#file);
  }
}
