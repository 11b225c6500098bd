import type { Json } from "@moorage/core";
import { describe, expect, test } from "vitest";
import { BundleError } from "./bundle-error.ts";
import { canonicalBytes } from "./canonical-document.ts";
import { addSignatures, envelopeBytes, parseEnvelope, signEnvelope } from "./dsse.ts";
import { makeKey, manifestOf, optionsFor, rootOf, signed } from "./signed-bundle.fixture.ts";
import { nextRoot, openTrustRoot, readRoot, rootDigest, signRoot, trustRoot } from "./trust-root.ts";
import { verifyBundle } from "./verify-bundle.ts";

const [a, b, c] = [makeKey(), makeKey(), makeKey()] as const;

function code(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof BundleError) return error.code;
    throw error;
  }
  return "accepted";
}

function root(keys: readonly (typeof a)[], threshold: number, version: number) {
  return trustRoot({ version, threshold, keys: keys.map(({ publicKey }) => publicKey), expires: null });
}

test("a root is pinned by its digest: no other passes, however well it is signed", () => {
  const first = root([a], 1, 1);
  const bytes = envelopeBytes(signRoot(first, [a]));
  expect(openTrustRoot(bytes, rootDigest(first)).root).toEqual(first);
  expect(code(() => openTrustRoot(envelopeBytes(signRoot(root([b], 1, 1), [b])), rootDigest(first)))).toBe(
    "rootNotPinned",
  );
  expect(code(() => openTrustRoot(envelopeBytes(signRoot(first, [b])), rootDigest(first)))).toBe("rootUnsigned");
  expect(code(() => openTrustRoot(envelopeBytes(signRoot(first, [])), rootDigest(first)))).toBe("rootUnsigned");
  expect(code(() => openTrustRoot(new Uint8Array(), rootDigest(first)))).toBe("notJson");
});

test("the order of its keys moves no digest, and a key that is named twice is one", () => {
  expect(rootDigest(root([a, b], 1, 1))).toBe(rootDigest(root([b, a, a], 1, 1)));
});

describe("rotation", () => {
  const first = readRoot(envelopeBytes(signRoot(root([a, b], 2, 1), [a, b])));
  const second = root([b, c], 2, 2);

  test("is signed by enough keys of the old and of the new root", () => {
    expect(nextRoot(first, envelopeBytes(signRoot(second, [a, b, c]))).root.version).toBe(2);
    expect(code(() => nextRoot(first, envelopeBytes(signRoot(second, [b, c]))))).toBe("rootNotHandedOver");
    expect(code(() => nextRoot(first, envelopeBytes(signRoot(second, [a, b]))))).toBe("rootUnsigned");
  });

  test("goes one version at a time, and never back", () => {
    for (const version of [1, 3, 2 ** 31 - 1])
      expect(code(() => nextRoot(first, envelopeBytes(signRoot(root([b, c], 2, version), [a, b, c]))))).toBe(
        "rootVersion",
      );
  });

  test("bundles of the old root are no new ones under the next, and those of the next are", () => {
    const next = nextRoot(first, envelopeBytes(signRoot(second, [a, b, c])));
    const files = { "a.md": "a" };
    const verdict = (rootVersion: number, keys: readonly (typeof a)[]) =>
      verifyBundle(signed(manifestOf(files, { rootVersion }), ...keys), optionsFor(next, files));
    expect(verdict(1, [a, b])).toMatchObject({ kind: "refused", reason: "thresholdNotMet" });
    expect(verdict(1, [b, c])).toMatchObject({ kind: "refused", reason: "otherRoot" });
    expect(verdict(2, [b, c]).kind).toBe("verified");
  });

  test("one person can sign after the other", () => {
    const half = envelopeBytes(signRoot(second, [a, b]));
    const whole = envelopeBytes(addSignatures(parseEnvelope(half), [c]));
    expect(nextRoot(first, whole).root.version).toBe(2);
  });
});

describe("what is no root is refused by its place", () => {
  const plain = root([a], 1, 1) as unknown as Record<string, Json>;
  const [entry] = plain["keys"] as readonly [Record<string, Json>];
  test.each<readonly [string, Json]>([
    ["threshold above its keys", { ...plain, threshold: 2 }],
    ["threshold of nobody", { ...plain, threshold: 0 }],
    ["no keys", { ...plain, keys: [] }],
    ["version", { ...plain, version: 0 }],
    ["another format", { ...plain, format: "moorage.dev/root/v2" }],
    ["extra field", { ...plain, extra: true }],
    ["a key twice", { ...plain, keys: [entry, entry] }],
    ["an id of another key", { ...plain, keys: [{ ...entry, keyId: b.keyId }] }],
    ["another scheme", { ...plain, keys: [{ ...entry, scheme: "rsa" }] }],
    ["expiry", { ...plain, expires: "tomorrow" }],
  ])("%s", (_what, payload) => {
    const bytes = envelopeBytes(signEnvelope("application/vnd.moorage.root.v1+json", canonicalBytes(payload), [a]));
    expect(code(() => readRoot(bytes))).not.toMatch(/accepted|rootUnsigned/);
  });

  test("a bundle's envelope", () => {
    expect(code(() => readRoot(signed(manifestOf({ "a.md": "" }), a)))).toBe("rootType");
    expect(rootOf([a]).root.threshold).toBe(1);
  });
});
