import type { Json } from "@moorage/core";
import { describe, expect, test } from "vitest";
import { refusalReason } from "./bundle-fault.ts";
import { envelopeBytes, envelopeLimits, parseEnvelope } from "./dsse.ts";
import { manifestBytes } from "./manifest.ts";
import {
  digestOf,
  makeKey,
  manifestOf,
  optionsFor,
  rootOf,
  running,
  signed,
  signedBytes,
} from "./signed-bundle.fixture.ts";
import { type BundleVerification, bundlePayloadType, type VerifyOptions, verifyBundle } from "./verify-bundle.ts";

const files = { "prompts/a.md": "one\n", "prompts/b.md": "two\n" };
const key = makeKey();
const root = rootOf([key]);
const manifest = manifestOf(files);
const good = signed(manifest, key);

function verify(bytes: Uint8Array, change: Partial<VerifyOptions> = {}): BundleVerification {
  return verifyBundle(bytes, optionsFor(root, files, change));
}

function refusal(
  bytes: Uint8Array,
  change: Partial<VerifyOptions> = {},
): Extract<BundleVerification, { kind: "refused" }> {
  const verdict = verify(bytes, change);
  if (verdict.kind === "verified") throw new Error("it was accepted");
  expect(verdict.message).not.toBe("");
  expect(verdict.hint).not.toBe("");
  return verdict;
}

test("a bundle that is as it was signed is verified, with its digest and whoever signed it", () => {
  const verdict = verify(good);
  if (verdict.kind !== "verified") throw new Error(verdict.message);
  expect(verdict.bundle.manifest).toEqual(manifest);
  expect(verdict.bundle.digest).toBe(digestOf(manifest));
  expect([...verdict.bundle.signers]).toEqual([key.keyId]);
});

describe("threats", () => {
  test("arbitrary content: other bytes under a signed name", () => {
    const payload: VerifyOptions["payload"] = ({ size }) => Buffer.alloc(size, "x");
    expect(refusal(good, { payload })).toMatchObject({ reason: "payloadWrong" });
    expect(refusal(good, { payload: () => null })).toMatchObject({ reason: "payloadMissing" });
    expect(refusal(good, { payload: () => Buffer.alloc(0) })).toMatchObject({ reason: "payloadWrong" });
  });

  test("arbitrary content: another payload in the envelope", () => {
    const envelope = parseEnvelope(good);
    const payload = manifestBytes({ ...manifest, created: "2026-01-02T00:00:00.000Z" });
    expect(refusal(envelopeBytes({ ...envelope, payload })).reason).toBe("wrongKey");
  });

  test("rollback: a correctly signed older bundle", () => {
    const newer = manifestOf(files, { sequence: 2, parent: digestOf(manifest) });
    const floor = { sequence: 2, digest: digestOf(newer), rootVersion: 1 };
    expect(refusal(good, { floor })).toMatchObject({ reason: "rollback", expected: "above 2", actual: 1 });
    expect(verify(signed(newer, key), { floor }).kind).toBe("verified");
  });

  test("T81, rollback is checked as well when what is here has expired, and on the first run after it", () => {
    const old = manifestOf(files, { expires: "2026-01-15T00:00:00.000Z" });
    const floor = { sequence: 5, digest: "sha256:" + "a".repeat(64), rootVersion: 1 };
    expect(refusal(signed(old, key), { floor }).reason).toBe("rollback");
    // What is here has expired, and somebody offers what came before it, which never does.
    const here = manifestOf(files, { sequence: 2, parent: digestOf(manifest), expires: "2026-01-15T00:00:00.000Z" });
    const held = {
      floor: { sequence: 2, digest: digestOf(here), rootVersion: 1 },
      accepted: new Set([digestOf(here)]),
    };
    expect(verify(signed(here, key), held).kind).toBe("verified");
    expect(refusal(good, held).reason).toBe("rollback");
  });

  test("rollback of the trust root", () => {
    const floor = { sequence: 1, digest: digestOf(manifest), rootVersion: 2 };
    expect(refusal(good, { floor }).reason).toBe("rootRollback");
    expect(refusal(good, { floor, accepted: new Set([digestOf(manifest)]) }).reason).toBe("rootRollback");
  });

  test("freeze: what has expired is not accepted, and what was accepted goes on", () => {
    const old = manifestOf(files, { expires: "2026-01-15T00:00:00.000Z" });
    expect(refusal(signed(old, key)).reason).toBe("expired");
    const now = Date.parse("2026-01-15T00:00:00.000Z");
    expect(refusal(signed(old, key), { now }).reason).toBe("expired");
    expect(verify(signed(old, key), { now: now - 1 }).kind).toBe("verified");
    expect(verify(signed(old, key), { accepted: new Set([digestOf(old)]) }).kind).toBe("verified");
  });

  test("T83, freeze: the clock of a check is the one from its start, however long it takes", () => {
    const expires = "2026-01-15T00:00:00.000Z";
    const bundle = manifestOf(files, { expires });
    const late = Date.parse(expires);
    const given = optionsFor(root, files, { now: late - 1 });
    let now = given.now;
    const options: VerifyOptions = {
      ...given,
      // Time passes with each file.
      payload: (component) => ((now += 1), given.payload(component)),
    };
    expect(verifyBundle(signed(bundle, key), options).kind).toBe("verified");
    expect(now).toBeGreaterThan(late);
    expect(refusal(signed(bundle, key), { now }).reason).toBe("expired");
  });

  test("T83, freeze: a clock that was set back does not bring an older bundle through", () => {
    const floor = { sequence: 2, digest: `sha256:${"b".repeat(64)}`, rootVersion: 1 };
    expect(refusal(good, { floor, now: 0 }).reason).toBe("rollback");
  });

  test("an expired trust root accepts nothing new", () => {
    const expiring = rootOf([key], 1, 1, "2026-01-20T00:00:00.000Z");
    expect(refusal(good, { root: expiring }).reason).toBe("rootExpired");
    expect(verify(good, { root: expiring, accepted: new Set([digestOf(manifest)]) }).kind).toBe("verified");
  });

  test("mix and match: files of two bundles, each signed", () => {
    const other = { ...files, "prompts/b.md": "TWO\n" };
    const payload: VerifyOptions["payload"] = ({ path }) =>
      Buffer.from(path === "prompts/b.md" ? other[path] : "one\n");
    expect(refusal(good, { payload }).reason).toBe("payloadWrong");
  });

  test("mix and match: components under the hash of another catalog", () => {
    const mixed = { ...manifest, catalogHash: manifestOf({ "a.md": "" }).catalogHash };
    const verdict = refusal(signedBytes(mixed as unknown as Json, key));
    expect(verdict.reason).toBe("manifestInvalid");
    expect(verdict.message).toContain("catalogHash");
  });

  test("endless data: a component, a list of signatures, an envelope, a manifest", () => {
    const asked: number[] = [];
    const payload: VerifyOptions["payload"] = ({ size }) => {
      asked.push(size);
      return Buffer.alloc(size + 1);
    };
    expect(refusal(good, { payload }).reason).toBe("payloadTooLong");
    expect(asked).toEqual([4]);
    expect(refusal(Buffer.alloc(envelopeLimits.bytes + 1, " ")).message).toContain("is larger than");
    const envelope = parseEnvelope(good);
    const signatures = Array.from({ length: 100 }, () => envelope.signatures[0]!);
    expect(refusal(envelopeBytes({ ...envelope, signatures })).reason).toBe("envelopeInvalid");
    const [first] = manifest.components;
    const huge = { ...manifest, components: [{ ...first, size: 2 ** 40 }] };
    expect(refusal(signedBytes(huge as unknown as Json, key)).reason).toBe("manifestInvalid");
    const parts = ["a", "b", "c"].map((path) => ({ ...manifest.components[0]!, path, size: 40 * 1024 * 1024 }));
    const sum = manifestOf(files, { components: parts });
    expect(refusal(signedBytes(sum as unknown as Json, key)).message).toContain("holds more than");
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(refusal(Buffer.from(deep)).reason).toBe("envelopeInvalid");
    expect(refusal(signedBytes(deep, key)).reason).toBe("manifestInvalid");
  });

  test("wrong key: one that the root does not know, under its own id and under a trusted one", () => {
    const other = makeKey();
    expect(refusal(signed(manifest, other)).reason).toBe("wrongKey");
    const envelope = parseEnvelope(signed(manifest, other));
    const { signature } = envelope.signatures[0]!;
    for (const keyId of [key.keyId, null, "", "x"])
      expect(refusal(envelopeBytes({ ...envelope, signatures: [{ keyId, signature }] })).reason).toBe("wrongKey");
  });

  test("wrong key: a good signature under a name that is not its own", () => {
    const envelope = parseEnvelope(good);
    const { signature } = envelope.signatures[0]!;
    expect(refusal(envelopeBytes({ ...envelope, signatures: [{ keyId: "x", signature }] })).reason).toBe("wrongKey");
    expect(verify(envelopeBytes({ ...envelope, signatures: [{ keyId: null, signature }] })).kind).toBe("verified");
  });

  test("wrong key: a signature that is cut, changed or empty", () => {
    const envelope = parseEnvelope(good);
    const { signature } = envelope.signatures[0]!;
    for (const bad of [signature.slice(1), signature.with(0, signature[0]! ^ 1), new Uint8Array()]) {
      const signatures = [{ keyId: key.keyId, signature: bad }];
      expect(refusal(envelopeBytes({ ...envelope, signatures })).reason).toBe("wrongKey");
    }
  });

  test("another channel's signature: the same key, the same sequence", () => {
    for (const channel of [
      { fleet: "readers", catalog: "main" },
      { fleet: "writers", catalog: "other" },
    ])
      expect(refusal(signed(manifestOf(files, { channel }), key))).toMatchObject({
        reason: "otherChannel",
        expected: "writers/main",
      });
  });

  test("another channel's bundle that was accepted there is not taken here", () => {
    const other = manifestOf(files, { channel: { fleet: "readers", catalog: "main" } });
    expect(refusal(signed(other, key), { accepted: new Set([digestOf(other)]) }).reason).toBe("otherChannel");
  });

  test("falling back on what was accepted here is no rollback, and needs no newer root", () => {
    const floor = { sequence: 9, digest: `sha256:${"c".repeat(64)}`, rootVersion: 2 };
    const next = rootOf([key], 1, 2);
    expect(verify(good, { root: next, floor, accepted: new Set([digestOf(manifest)]) }).kind).toBe("verified");
    expect(refusal(good, { root: next, floor }).reason).toBe("otherRoot");
  });

  test("another kind of envelope by a trusted key", () => {
    const envelope = parseEnvelope(good);
    expect(refusal(envelopeBytes({ ...envelope, payloadType: "application/json" })).reason).toBe("envelopeInvalid");
    // The type is part of what is signed: it cannot be changed afterwards.
    const other = parseEnvelope(signedBytes(manifestBytes(manifest), key));
    expect(refusal(envelopeBytes({ ...other, payloadType: `${bundlePayloadType} ` })).reason).toBe("envelopeInvalid");
  });

  test("equivocation: the same sequence with another digest", () => {
    const other = manifestOf({ ...files, "prompts/c.md": "three\n" });
    const floor = { sequence: 1, digest: digestOf(other), rootVersion: 1 };
    expect(refusal(good, { floor })).toMatchObject({
      reason: "equivocation",
      expected: digestOf(other),
      actual: digestOf(manifest),
      digest: digestOf(manifest),
    });
    expect(verify(good, { floor: { ...floor, digest: digestOf(manifest) } }).kind).toBe("verified");
  });

  test("T82: a sequence that would lock everybody out", () => {
    const far = manifestOf(files, { sequence: 2 ** 31 - 1, parent: digestOf(manifest) });
    expect(refusal(signed(far, key)).reason).toBe("jump");
    const beyond = { ...far, sequence: 2 ** 31 };
    expect(refusal(signedBytes(beyond as unknown as Json, key)).reason).toBe("manifestInvalid");
  });

  test("extra fields: in the manifest, in a component, in the envelope", () => {
    const plain = manifest as unknown as Record<string, Json>;
    const [component] = manifest.components;
    for (const extra of [
      { ...plain, extra: 1 },
      { ...plain, channel: { fleet: "writers", catalog: "main", region: "x" } },
      { ...plain, components: [{ ...component, mode: "0777" }] },
      { ...plain, target: { ...manifest.target, other: 1 } },
    ]) {
      const verdict = refusal(signedBytes(extra, key));
      expect(verdict.reason).toBe("manifestInvalid");
    }
    const envelope = JSON.parse(Buffer.from(good).toString()) as Record<string, unknown>;
    expect(refusal(Buffer.from(JSON.stringify({ ...envelope, extra: 1 }))).reason).toBe("envelopeInvalid");
  });

  test("duplicate keys in signed JSON", () => {
    const text = Buffer.from(manifestBytes(manifest)).toString();
    const twice = text.replace('"sequence":1', '"sequence":2,"sequence":1');
    const verdict = refusal(signedBytes(twice, key));
    expect(verdict.reason).toBe("manifestInvalid");
    expect(verdict.message).toContain("sequence: the key is there twice");
    const envelope = Buffer.from(good).toString().replace("{", '{"payloadType":"x",');
    expect(refusal(Buffer.from(envelope)).reason).toBe("envelopeInvalid");
  });

  test("a valid signature over other canonical bytes", () => {
    const text = Buffer.from(manifestBytes(manifest)).toString();
    for (const other of [
      JSON.stringify(manifest),
      `${text}\n`,
      ` ${text}`,
      text.replace('"sequence":1', '"sequence":1.0'),
      text.replace('"sequence":1', '"sequence":1e0'),
      text.replace("prompts/a.md", "\\u0070rompts/a.md"),
      `\ufeff${text}`,
    ]) {
      expect(other).not.toBe(text);
      expect(refusal(signedBytes(other, key)).reason).toBe("manifestInvalid");
    }
  });

  test("an emptied signature file, an emptied list of signatures", () => {
    expect(refusal(new Uint8Array()).reason).toBe("envelopeInvalid");
    expect(refusal(Buffer.from("\n")).reason).toBe("envelopeInvalid");
    expect(refusal(Buffer.from("{}")).reason).toBe("envelopeInvalid");
    expect(refusal(envelopeBytes({ ...parseEnvelope(good), signatures: [] })).reason).toBe("unsigned");
  });

  test("T78: to ask for a signature without a key is an error, and what has none does not pass", () => {
    expect(() => signed(manifest)).toThrow(expect.objectContaining({ name: "BundleError", code: "noKey" }));
    expect(refusal(envelopeBytes({ ...parseEnvelope(good), signatures: [] })).reason).toBe("unsigned");
  });

  test("a bundle cut short at any byte", () => {
    for (let length = 0; length < good.length - 1; length += 37)
      expect(refusal(good.slice(0, length)).reason).toBe("envelopeInvalid");
  });
});

describe("T29, T31: the runtime target is part of the same check", () => {
  test.each([
    ["wireVersion", { wireVersion: 2 }, 1, 2],
    ["eventLogSchema", { eventLogSchema: 3 }, 2, 3],
    ["crdApiVersion", { crdApiVersion: "moorage.dev/v1" }, "moorage.dev/v1alpha1", "moorage.dev/v1"],
  ] as const)("%s", (axis, change, expected, actual) => {
    const verdict = refusal(good, { running: { ...running, ...change } });
    expect(verdict).toMatchObject({ reason: "incompatible", axis, expected, actual });
    expect(verdict.message).toContain("differs from the target the bundle was built for");
    const accepted = new Set([digestOf(manifest)]);
    expect(refusal(good, { accepted, running: { ...running, ...change } }).reason).toBe("incompatible");
  });

  test("a bundle equal to the catalog in use is verified all the same", () => {
    expect(verify(good, { running: { ...running, toolCatalogHash: manifest.catalogHash } }).kind).toBe("verified");
  });
});

describe("a threshold above one", () => {
  const keys = [makeKey(), makeKey(), makeKey()];
  const two = rootOf(keys, 2);

  test("takes so many different keys", () => {
    const [a, b] = keys;
    expect(verify(signed(manifest, a!, b!), { root: two }).kind).toBe("verified");
    expect(refusal(signed(manifest, a!), { root: two })).toMatchObject({
      reason: "thresholdNotMet",
      expected: 2,
      actual: 1,
    });
  });

  test("counts a key that signs twice once", () => {
    const envelope = parseEnvelope(signed(manifest, keys[0]!));
    const [one] = envelope.signatures;
    const signatures = [one!, one!, { ...one!, keyId: null }];
    expect(refusal(envelopeBytes({ ...envelope, signatures }), { root: two }).reason).toBe("thresholdNotMet");
  });
});

test("each refusal has the word under which an agent keeps it", () => {
  const words = (["envelopeInvalid", "wrongKey", "payloadWrong", "incompatible", "rollback", "parent"] as const).map(
    refusalReason,
  );
  expect(words).toEqual(["malformed", "signature", "corrupt", "incompatible", "rollback", "parent"]);
});

test("whatever bytes come, the answer is a verdict", () => {
  const bytes = Buffer.from(good);
  for (let at = 0; at < bytes.length; at += 3) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
    const verdict = verify(flipped);
    // A bit of the hint about the key, or of Base64 that says nothing, may change nothing that counts.
    if (verdict.kind === "verified") expect(verdict.bundle.digest).toBe(digestOf(manifest));
  }
});
