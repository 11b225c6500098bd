/** A bundle in one file, to carry elsewhere. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { BundleError, fileFlaw } from "./bundle-error.ts";
import { catalogLimits } from "./collect.ts";
import { type Envelope, envelopeBytes, envelopeLimits, parseEnvelope } from "./dsse.ts";
import { readOpen } from "./file-content.ts";
import { type Manifest, parseManifest } from "./manifest.ts";
import { systemCodeOf } from "./node-error.ts";
import { envelopePlace, longestFirstLine, packParts, placesOf } from "./pack.ts";
import type { PayloadReader } from "./verify-bundle.ts";

const largest = longestFirstLine + envelopeLimits.bytes + catalogLimits.bytes;

/** What a file holds. Nothing of it is verified. */
export interface BundleFile {
  readonly envelope: Envelope;
  /** The envelope as it came. */
  readonly bytes: Uint8Array;
  readonly manifest: Manifest;
  readonly payload: PayloadReader;
}

/**
 * Writes the file, whole or not at all. What is there is replaced when it is such a file, and otherwise refused with
 * `wouldOverwrite`. Throws a `BundleError`.
 */
export function writeBundleFile(path: string, envelope: Envelope, payload: PayloadReader): void {
  const manifest = parseManifest(envelope.payload);
  const signed = envelopeBytes(envelope);
  const fresh = `${path}.${randomBytes(8).toString("hex")}.new`;
  told(path, () => {
    checkPlace(path);
    const parts = [...packParts(signed, manifest, payload)];
    try {
      fs.writeFileSync(fresh, Buffer.concat(parts), { flag: "wx" });
      fs.renameSync(fresh, path);
    } finally {
      fs.rmSync(fresh, { force: true });
    }
  });
}

/** Reads no more than a bundle may have. Throws a `BundleError` for what is none, or not whole. */
export function readBundleFile(path: string): BundleFile {
  const content = told(path, () => readBounded(path));
  const place = envelopePlace(content);
  if (place === null)
    throw refused(path, "bundleFileInvalid", "is no bundle", "name a file of `moorage bundle build --output`");
  const bytes = content.subarray(place.begin, place.end);
  const rest = content.subarray(place.end);
  const { envelope, manifest } = opened(path, bytes);
  const { places, size } = placesOf(manifest);
  if (size !== rest.length)
    throw refused(
      path,
      "bundleFileInvalid",
      `holds ${rest.length} bytes of content, and ${size} belong to it`,
      "fetch it again",
    );
  const payload: PayloadReader = (component) => {
    const at = places.get(component.path);
    return at === undefined ? null : rest.subarray(at, at + component.size);
  };
  return { envelope, bytes, manifest, payload };
}

function opened(path: string, bytes: Uint8Array): Pick<BundleFile, "envelope" | "manifest"> {
  try {
    const envelope = parseEnvelope(bytes);
    return { envelope, manifest: parseManifest(envelope.payload) };
  } catch (error) {
    if (error instanceof BundleError)
      throw refused(path, "bundleFileInvalid", `is no whole bundle: ${error.message}`, error.hint);
    throw error;
  }
}

function readBounded(path: string): Buffer {
  const file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const stat = fs.fstatSync(file);
    if (!stat.isFile()) throw refused(path, "bundleFileInvalid", "is no file", "name the bundle's own file");
    if (stat.size > largest)
      throw refused(
        path,
        "bundleFileInvalid",
        `is larger than any bundle: ${stat.size} bytes`,
        "name the bundle's own file",
      );
    return readOpen(file, stat.size);
  } finally {
    fs.closeSync(file);
  }
}

function checkPlace(path: string): void {
  const there = fs.statSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (there.isFile()) {
    const file = fs.openSync(path, "r");
    try {
      if (envelopePlace(readOpen(file, longestFirstLine)) !== null) return;
    } finally {
      fs.closeSync(file);
    }
  }
  throw refused(path, "wouldOverwrite", "is there, and is no bundle", "name another file, or remove that one");
}

function told<Value>(path: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    if (code === "ENOENT") throw refused(path, "bundleFileMissing", "is not there", "see to how it is written");
    throw refused(
      path,
      "bundleFileUnreadable",
      `cannot be read or written (${code})`,
      "see to its permissions and to the disk",
    );
  }
}

function refused(path: string, code: string, message: string, hint: string): BundleError {
  return new BundleError("the bundle's file is refused", [fileFlaw(code, path, message, hint)]);
}
