import { describe, expect, test } from "vitest";
import { BundleError } from "./bundle-error.ts";
import { KnownManifests } from "./known-manifests.ts";
import { manifestBytes } from "./manifest.ts";
import { digestOf, manifestOf } from "./signed-bundle.fixture.ts";

const manifest = manifestOf({ "a.md": "one\n" });
const bytes = manifestBytes(manifest);

describe("a manifest", () => {
  test("is known by the digest of its bytes, and read once", () => {
    const known = new KnownManifests();
    expect(known.find(digestOf(manifest))).toBeNull();
    const first = known.read(bytes);
    expect(first).toEqual({ manifest, digest: digestOf(manifest) });
    expect(known.read(Uint8Array.from(bytes)).manifest).toBe(first.manifest);
    expect(known.find(digestOf(manifest))).toBe(first.manifest);
  });

  test("of other bytes is another, and what is none stays unknown", () => {
    const known = new KnownManifests();
    known.read(bytes);
    for (let at = 0; at < bytes.length; at += 1) {
      const bad = Uint8Array.from(bytes);
      bad[at] = (bad[at] ?? 0) ^ 1;
      try {
        expect(known.read(bad).manifest).not.toEqual(manifest);
      } catch (error) {
        expect(error).toBeInstanceOf(BundleError);
      }
    }
    expect(known.read(bytes).manifest).toEqual(manifest);
  });

  test("that was verified elsewhere is kept", () => {
    const known = new KnownManifests();
    known.keep({ manifest, digest: digestOf(manifest) });
    expect(known.read(bytes).manifest).toBe(manifest);
  });

  test("that nobody asked for any more is forgotten", () => {
    const known = new KnownManifests();
    known.read(bytes);
    for (let sequence = 2; sequence < 10; sequence += 1)
      known.read(manifestBytes(manifestOf({ "a.md": "one\n" }, { sequence, parent: digestOf(manifest) })));
    expect(known.find(digestOf(manifest))).toBeNull();
  });
});
