/** Writes to standard output and standard error without a stream: what is written is there when the call returns. */
import { writeSync } from "node:fs";

/** Milliseconds until a full pipe is tried again. */
const fullMs = 2;

/** Whether all of it was written: whoever was to read it may be gone. A full pipe is tried again so often. */
export function writeAll(file: number, text: string, tries: number = Number.POSITIVE_INFINITY): boolean {
  const bytes = Buffer.from(text);
  let left = tries;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(file, bytes, written);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return false;
      if (left <= 0) return false;
      left -= 1;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullMs);
    }
  }
  return true;
}
