/** The bytes of one file, read once and no further than they may go, whatever has become of it since it was looked at. */
import fs from "node:fs";
import { codeOf } from "./node-error.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

export type FileReading =
  | { readonly kind: "read"; readonly bytes: Uint8Array }
  /** It grew beyond `most`, or is none any more. */
  | { readonly kind: "changed" }
  | { readonly kind: "unreadable"; readonly code: string };

/** Reads many files one after the other. The bytes that it gives hold until the next call alone. */
export class FileReader {
  #buffer = Buffer.allocUnsafeSlow(16 * 1024);

  /** `size` is what the file had when it was looked at, `most` what it may have. */
  read(path: string, size: number, most: number): FileReading {
    let file: number;
    try {
      // What was a file may be a link or a pipe by now.
      file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      return { kind: "unreadable", code: codeOf(error) ?? String(error) };
    }
    try {
      let length = 0;
      // One byte more than there should be, so that one call finds the end as well.
      this.#reserve(Math.min(size, most) + 1, 0);
      for (;;) {
        const read = fs.readSync(file, this.#buffer, length, this.#buffer.length - length, null);
        length += read;
        if (length > most) return { kind: "changed" };
        if (read === 0 || length === size) break;
        if (length === this.#buffer.length) this.#reserve(length * 2, length);
      }
      if (length === size && fs.fstatSync(file).size !== size) return { kind: "changed" };
      return { kind: "read", bytes: this.#buffer.subarray(0, length) };
    } catch (error) {
      return { kind: "unreadable", code: codeOf(error) ?? String(error) };
    } finally {
      fs.closeSync(file);
    }
  }

  #reserve(length: number, kept: number): void {
    if (this.#buffer.length >= length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, kept);
    this.#buffer = larger;
  }
}

/** What is left to read of an open file, and no more than `most` bytes of it. */
export function readOpen(file: number, most: number): Buffer {
  const bytes = Buffer.allocUnsafe(most);
  let length = 0;
  for (let read = -1; read !== 0 && length < most; length += read)
    read = fs.readSync(file, bytes, length, most - length, null);
  return bytes.subarray(0, length);
}
