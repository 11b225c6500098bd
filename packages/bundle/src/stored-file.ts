/** The file of one bundle in the store, read as far as it is asked for. Nothing that it gives is proved. */
import fs from "node:fs";
import { envelopeLimits } from "./dsse.ts";
import type { Manifest } from "./manifest.ts";
import { codeOf } from "./node-error.ts";
import { envelopePlace, placesOf } from "./pack.ts";
import type { PayloadReader } from "./verify-bundle.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** Most bundles are smaller, and come with one call. */
const firstBytes = 64 * 1024;

/** To be closed by whoever opened it. */
export class StoredFile {
  /** Or whatever lies there instead, at most one byte more than an envelope may have. */
  readonly envelope: Uint8Array;
  readonly #file: number;
  readonly #first: Uint8Array;
  /** Where the content begins. */
  readonly #content: number;

  /** Null when nothing is there. Throws Node's error for what cannot be read. */
  static open(path: string): StoredFile | null {
    let file: number;
    try {
      // Nothing waits for whoever writes into a pipe.
      file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return null;
      throw error;
    }
    try {
      return new StoredFile(file);
    } catch (error) {
      fs.closeSync(file);
      throw error;
    }
  }

  private constructor(file: number) {
    this.#file = file;
    const { size } = fs.fstatSync(file);
    this.#first = readAt(file, 0, Math.min(size, firstBytes));
    const { begin, end } = envelopePlace(this.#first) ?? { begin: 0, end: size };
    this.#content = end;
    this.envelope = this.#bytes(begin, Math.min(end, size, begin + envelopeLimits.bytes + 1));
  }

  /** Null for what is not there, or not whole. */
  payload(manifest: Pick<Manifest, "components">): PayloadReader {
    const { places } = placesOf(manifest);
    return ({ path, size }) => {
      const at = places.get(path);
      if (at === undefined) return null;
      const bytes = this.#bytes(this.#content + at, this.#content + at + size);
      return bytes.length === size ? bytes : null;
    };
  }

  close(): void {
    fs.closeSync(this.#file);
  }

  #bytes(from: number, to: number): Uint8Array {
    return to <= this.#first.length ? this.#first.subarray(from, to) : readAt(this.#file, from, Math.max(0, to - from));
  }
}

/** So many bytes from there, or those that there are. */
function readAt(file: number, at: number, most: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(most);
  let length = 0;
  for (let read = -1; read !== 0 && length < most; length += read)
    read = fs.readSync(file, bytes, length, most - length, at + length);
  return bytes.subarray(0, length);
}
