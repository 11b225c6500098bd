import type { Json } from "@moorage/core";
import { expect, test } from "vitest";
import { addSignatures, envelopeBytes, parseEnvelope } from "./dsse.ts";
import type { Manifest } from "./manifest.ts";
import { makeKey, manifestOf, optionsFor, rootOf, signed, signedBytes } from "./signed-bundle.fixture.ts";
import { type BundleVerification, verifyBundle } from "./verify-bundle.ts";

const files = { "prompts/a.md": "one\n", "prompts/b.md": "two\n" };
const key = makeKey();
const root = rootOf([key]);
const manifest = manifestOf(files);

function refusal(bytes: Uint8Array): Extract<BundleVerification, { kind: "refused" }> {
  const verdict = verifyBundle(bytes, optionsFor(root, files));
  if (verdict.kind === "verified") throw new Error("it was accepted");
  return verdict;
}

const changes: readonly (readonly [string, unknown])[] = [
  ["format", []],
  ["format", 1],
  ["sequence", 0],
  ["sequence", 1.5],
  ["sequence", "1"],
  ["sequence", null],
  ["parent", `sha256:${"a".repeat(64)}`],
  ["parent", ""],
  ["target", { wireVersion: 1, eventLogSchema: 1 }],
  ["target", { wireVersion: -1, eventLogSchema: 1, crdApiVersion: "a/v1" }],
  ["target", { wireVersion: "1", eventLogSchema: 1, crdApiVersion: "a/v1" }],
  ["catalogHash", `sha256:${"a".repeat(64)}`],
  ["created", "2026-01-01"],
  ["created", "2026-02-30T00:00:00.000Z"],
  ["created", "+010000-01-01T00:00:00.000Z"],
  ["expires", "+002026-02-01T00:00:00.000Z"],
  ["created", "-000001-01-01T00:00:00.000Z"],
  ["created", "2026-01-01T01:00:00.000+01:00"],
  ["expires", "2025-01-01T00:00:00.000Z"],
  ["rootVersion", 0],
  ["channel", { fleet: "Writers", catalog: "main" }],
  ["channel", { fleet: "../x", catalog: "main" }],
  ["channel", "writers"],
  ["components", []],
  ["components", {}],
];
test.each(changes)("%s: %j is refused by its place", (field, value) => {
  const verdict = refusal(signedBytes({ ...manifest, [field]: value } as unknown as Json, key));
  expect(verdict.reason).toBe("manifestInvalid");
  expect(verdict.message).toContain(`${field}`);
});

test.each(Object.keys(manifest))("without %s it is refused by its name", (field) => {
  const { [field]: _, ...rest } = manifest as unknown as Record<string, Json>;
  expect(refusal(signedBytes(rest, key)).message).toContain(`${field}: is missing`);
});

test.each([
  ["../a.md"],
  ["/a.md"],
  ["a/../b.md"],
  ["a\\b.md"],
  ["./a.md"],
  ["a//b.md"],
  ["cafe\u0301.md"],
  ["a\u0000.md"],
  [`${"x".repeat(300)}.md`],
])("the path %j is refused: whoever unpacks it stays inside", (path) => {
  const components = [{ ...manifest.components[0]!, path }];
  const bad = manifestOf(files, { components });
  expect(refusal(signedBytes(bad as unknown as Json, key)).message).toContain("components[0].path");
});

test.each([[["a.md", "A.md"]], [["a", "a/b"]], [["b", "a"]], [["a", "a"]], [["stra\u00dfe", "strasse"]]])(
  "the paths %j are refused",
  (paths) => {
    const components = paths.map((path) => ({ ...manifest.components[0]!, path }));
    expect(refusal(signedBytes(manifestOf(files, { components }) as unknown as Json, key)).reason).toBe(
      "manifestInvalid",
    );
  },
);

test("T41: a catalog of nothing", () => {
  const empty = manifestOf({});
  expect(refusal(signedBytes(empty as unknown as Json, key)).message).toContain("components: is empty");
});

test("T80: another format is told with both versions", () => {
  const next = { ...manifest, format: "moorage.dev/bundle/v2", more: 1 } as unknown as Manifest;
  const { message } = refusal(signedBytes(next as unknown as Json, key));
  expect(message).toContain("moorage.dev/bundle/v2");
  expect(message).toContain("moorage.dev/bundle/v1");
  const envelope = { ...parseEnvelope(signed(manifest, key)), payloadType: "application/vnd.moorage.bundle.v2+json" };
  const other = refusal(envelopeBytes(addSignatures({ ...envelope, signatures: [] }, [key])));
  expect(other.message).toContain("application/vnd.moorage.bundle.v2+json");
  expect(other.message).toContain("application/vnd.moorage.bundle.v1+json");
});

test("a bundle for another version of the root", () => {
  expect(refusal(signed(manifestOf(files, { rootVersion: 2 }), key)).reason).toBe("otherRoot");
});
