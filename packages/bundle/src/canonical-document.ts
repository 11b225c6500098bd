/** Documents that are signed or pinned: strict JSON in its one canonical form (RFC 8785), and nothing else. */
import { isUtf8 } from "node:buffer";
import type { Json } from "@moorage/core";
import { canonicalForm, DigestError } from "@moorage/keys";
import { BundleError, fileFlaw } from "./bundle-error.ts";
import { DocumentFault, faultFlaw, plainOf } from "./document.ts";
import type { Field } from "./fields.ts";
import { strictJson } from "./strict-json.ts";
import { utf8Text } from "./text-file.ts";
import { type WrittenJson, writtenJson } from "./written-json.ts";

/** The bytes that are signed. */
export function canonicalBytes(value: Json): Uint8Array {
  return Buffer.from(canonicalForm(value), "utf8");
}

/** Reads bytes as JSON and as `what`. Throws a `BundleError` that names the place. */
export function readDocument<Value>(bytes: Uint8Array, what: string, read: (root: Field) => Value): Value {
  const source = textOf(bytes, what);
  // Who writes a file ends its last line.
  const written = writtenJson(source.endsWith("\n") ? source.slice(0, -1) : source);
  return (written === null ? null : readWritten(written, read)) ?? readStrictly(source, what, read);
}

/**
 * As `readDocument`, and the bytes have to be the canonical ones: a signature over other bytes of the same data would let
 * two readers see different digests for one thing.
 */
export function readCanonical<Value>(bytes: Uint8Array, what: string, read: (root: Field) => Value): Value {
  const source = textOf(bytes, what);
  const written = writtenJson(source);
  const found = written?.sorted === true ? readWritten(written, read) : null;
  if (found !== null) return found;
  return readStrictly(source, what, (root) => {
    const value = read(root);
    if (!isCanonical(plainOf(root.node), bytes)) throw flawed(what, "notCanonical", "is not in its canonical form");
    return value;
  });
}

/** Null for what is wrong: where, only a strict reading knows. */
function readWritten<Value>({ node }: WrittenJson, read: (root: Field) => Value): Value | null {
  try {
    return read({ node, steps: [] });
  } catch (error) {
    if (error instanceof DocumentFault) return null;
    throw error;
  }
}

function readStrictly<Value>(source: string, what: string, read: (root: Field) => Value): Value {
  try {
    return read({ node: strictJson(source), steps: [] });
  } catch (error) {
    if (error instanceof DocumentFault) throw new BundleError("not valid", [faultFlaw(error, source, what)]);
    throw error;
  }
}

function textOf(bytes: Uint8Array, what: string): string {
  if (!isUtf8(bytes)) throw flawed(what, "notUtf8", "is not UTF-8");
  return utf8Text(bytes);
}

function isCanonical(plain: Json, bytes: Uint8Array): boolean {
  try {
    return Buffer.compare(canonicalBytes(plain), bytes) === 0;
  } catch (error) {
    if (error instanceof DigestError) return false;
    throw error;
  }
}

function flawed(what: string, code: string, message: string): BundleError {
  const hint = "take it as it was made; what was edited by hand is not valid any more";
  return new BundleError("not valid", [fileFlaw(code, what, message, hint)]);
}
