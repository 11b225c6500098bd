/** Every file that is read, wrong in every way: it is refused, or it is what it was; it never breaks who reads it, and never passes for something else. */
import fs from "node:fs";
import { join } from "node:path";
import type { Json } from "@moorage/core";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BundleError } from "./bundle-error.ts";
import { readBundleFile, writeBundleFile } from "./bundle-file.ts";
import { canonicalBytes } from "./canonical-document.ts";
import { readCatalog } from "./catalog.ts";
import { plantTree, temporaryFolder } from "./catalog-folder.fixture.ts";
import {
  addSignatures,
  type Envelope,
  type EnvelopeSignature,
  envelopeBytes,
  parseEnvelope,
  signEnvelope,
} from "./dsse.ts";
import { formatLockText, parseFormatLock, parseFormatSources } from "./format-files.ts";
import type { FormatLock } from "./format-lock.ts";
import { componentKinds, effects } from "./layout.ts";
import { manifestBytes, parseManifest } from "./manifest.ts";
import { damaged, mutations } from "./mutations.fixture.ts";
import { digestOf, manifestOf, optionsFor, rootOf, signed, signedBytes } from "./signed-bundle.fixture.ts";
import { key, root } from "./store-scene.fixture.ts";
import { openTrustRoot, readRoot, rootDigest, signRoot, trustRoot } from "./trust-root.ts";
import { verifyBundle } from "./verify-bundle.ts";

const files = { "prompts/a.md": "one\n", "prompts/b.md": "two\n" };
const manifest = manifestOf(files);
const bundle = signed(manifest, key);
const options = optionsFor(root, files);

/** What was read; null for what was refused, with its place and a way out. Anything else that is thrown is a bug. */
function read<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    expect(error.flaws.length).toBeGreaterThan(0);
    for (const { message, hint, file } of error.flaws)
      for (const text of [message, hint, file]) expect(text).not.toBe("");
    return null;
  }
}

/** The digest of what was accepted; null for a refusal. */
function accepted(bytes: Uint8Array): string | null {
  const verdict = verifyBundle(bytes, options);
  if (verdict.kind === "verified") return verdict.bundle.digest;
  expect(verdict.message).not.toBe("");
  expect(verdict.hint).not.toBe("");
  return null;
}

function tell(what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new Error(what, { cause: error });
  }
}

describe("the manifest", () => {
  test("each field wrong in each way, under a valid signature", () => {
    let count = 0;
    for (const { what, value } of mutations(manifest as unknown as Json)) {
      count += 1;
      tell(what, () => expect([null, digestOf(manifest)]).toContain(accepted(signedBytes(value, key))));
    }
    expect(count).toBeGreaterThan(500);
  });

  test("bytes that were changed, under a valid signature and by themselves", () => {
    const bytes = manifestBytes(manifest);
    fc.assert(
      fc.property(damaged(bytes), (bad) => {
        const found = read(() => parseManifest(bad));
        // One text for one content: whatever is read has exactly these bytes.
        if (found !== null) expect(Buffer.from(manifestBytes(found))).toEqual(Buffer.from(bad));
        const digest = accepted(signedBytes(bad, key));
        if (digest !== null) expect(found).not.toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the envelope", () => {
  test("each field wrong in each way", () => {
    const plain = JSON.parse(Buffer.from(bundle).toString()) as Json;
    for (const { what, value } of mutations(plain))
      tell(what, () => expect([null, digestOf(manifest)]).toContain(accepted(Buffer.from(JSON.stringify(value)))));
  });

  test("bytes that were changed", () => {
    fc.assert(
      fc.property(damaged(bundle), (bad) => {
        expect([null, digestOf(manifest)]).toContain(accepted(bad));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the trust root", () => {
  const { payloadType } = parseEnvelope(envelopeBytes(signRoot(root.root, [key])));

  test("each field wrong in each way, under a valid signature", () => {
    for (const { what, value } of mutations(root.root as unknown as Json))
      tell(what, () => {
        const found = read(() => readRoot(envelopeBytes(signEnvelope(payloadType, canonicalBytes(value), [key]))));
        if (found !== null) expect(found).toEqual(root);
      });
  });

  test("bytes that were changed are never the root that is pinned", () => {
    const bytes = envelopeBytes(signRoot(root.root, [key]));
    fc.assert(
      fc.property(damaged(bytes), (bad) => {
        const found = read(() => openTrustRoot(bad, root.digest));
        if (found !== null) expect(found).toEqual(root);
      }),
    );
  });

  test("one that nobody could read back is not made", () => {
    const of = (change: object): unknown =>
      trustRoot({ version: 1, threshold: 1, keys: [key.publicKey], expires: null, ...change });
    expect(rootDigest(of({}) as typeof root.root)).toBe(rootOf([key]).digest);
    for (const bad of [{ version: 0 }, { threshold: 2 }, { keys: [] }, { expires: "soon" }])
      expect(read(() => of(bad))).toBeNull();
  });
});

describe("the lock of the formats and what it locks", () => {
  const content = [
    { path: "proto/a.proto", sha256: "a".repeat(64) },
    { path: "proto/b.proto", sha256: "b".repeat(64) },
  ];
  const earlier = [{ version: 1, contents: [content] }];
  const lock: FormatLock = {
    wireVersion: { version: 2, files: content, accepted: [content], earlier },
    crdApiVersion: { version: "moorage.dev/v1", files: [], accepted: [], earlier: [] },
  };

  test("each field of it wrong in each way: what is accepted is what it says", () => {
    const plain = JSON.parse(formatLockText(lock)) as Json;
    for (const { what, value } of mutations(plain))
      tell(what, () => {
        const found = read(() => parseFormatLock(Buffer.from(JSON.stringify(value))));
        if (found !== null) expect({ format: "moorage.dev/fingerprint-lock/v1", axes: found }).toEqual(value);
      });
  });

  test("each field of what names the files wrong in each way", () => {
    for (const { what, value } of mutations({ wireVersion: ["proto"], crdApiVersion: ["crds", "more.yaml"] }))
      tell(what, () => {
        const found = read(() => parseFormatSources(JSON.stringify(value)));
        if (found !== null) expect(found).toEqual(value ?? {});
      });
  });

  test("bytes of both that were changed", () => {
    const sources = "# files\nwireVersion:\n  - proto\ncrdApiVersion: [crds, more.yaml]\n";
    fc.assert(
      fc.property(damaged(Buffer.from(formatLockText(lock))), damaged(Buffer.from(sources)), (badLock, badSources) => {
        const found = read(() => parseFormatLock(badLock));
        if (found !== null) expect(parseFormatLock(Buffer.from(formatLockText(found)))).toEqual(found);
        read(() => parseFormatSources(Buffer.from(badSources).toString("utf8")));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a catalog's own files", () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
    plantTree(folder, { "prompts/a.md": "a\n", "tools/b.json": "{}\n" });
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  const layout = {
    components: [
      { match: "**/*.md", kind: "persona", effect: "start" },
      { match: "tools/**", kind: "tool" },
    ],
  };

  test("catalog.yaml: each field wrong in each way", () => {
    for (const { what, value } of mutations(layout))
      tell(what, () => {
        fs.writeFileSync(join(folder, "catalog.yaml"), JSON.stringify(value));
        const found = read(() => readCatalog(folder));
        if (found !== null) expect(isLayout(value)).toBe(true);
      });
  });

  test("catalog.yaml and .moorageignore: bytes that were changed", () => {
    const yaml =
      "components:\n  - { match: '**/*.md', kind: persona, effect: start }\n  - match: tools/**\n    kind: tool\n";
    const ignore = "# drafts\ndrafts/\n*.bak\nnotes/**/*.tmp\n";
    fc.assert(
      fc.property(damaged(Buffer.from(yaml)), damaged(Buffer.from(ignore)), (badYaml, badIgnore) => {
        fs.writeFileSync(join(folder, "catalog.yaml"), badYaml);
        fs.writeFileSync(join(folder, ".moorageignore"), badIgnore);
        const found = read(() => readCatalog(folder));
        for (const { kind, effect } of found?.components ?? []) {
          expect(componentKinds).toContain(kind);
          expect(effects).toContain(effect);
        }
        const lines = Buffer.from(badIgnore).toString().split("\n");
        for (const { rule, path } of found?.ignored ?? [])
          if (rule !== path) expect(lines.map((line) => line.replace("\ufeff", "").trim())).toContain(rule);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** By the rule alone. */
function isLayout(value: unknown): boolean {
  if (value === null) return true;
  const { components, ...rest } = value as { readonly components?: unknown };
  return Object.keys(rest).length === 0 && Array.isArray(components) && components.every(isRule);
}

function isRule(rule: unknown): boolean {
  const { match, kind, effect, ...rest } = rule as Record<string, unknown>;
  const known = <Word>(words: readonly Word[], word: unknown): boolean =>
    word === undefined || words.includes(word as Word);
  const says = kind !== undefined || effect !== undefined;
  return Object.keys(rest).length === 0 && typeof match === "string" && match !== "" && says
    ? known(componentKinds, kind) && known(effects, effect)
    : false;
}

test("the file that a bundle is carried in: bytes that were changed", () => {
  const folder = temporaryFolder();
  try {
    const place = join(folder, "main.bundle");
    writeBundleFile(place, parseEnvelope(bundle), options.payload);
    const whole = fs.readFileSync(place);
    fc.assert(
      fc.property(damaged(whole), (bad) => {
        fs.writeFileSync(place, bad);
        const found = read(() => readBundleFile(place));
        if (found === null) return;
        const verdict = verifyBundle(found.bytes, { ...options, payload: found.payload });
        if (verdict.kind === "verified") expect(verdict.bundle.digest).toBe(digestOf(manifest));
      }),
      { numRuns: 1_000 },
    );
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test("a signature more by whoever, in whatever order, takes nothing away", () => {
  const parsed = parseEnvelope(bundle);
  const junk = fc.record({ keyId: fc.option(fc.string()), signature: fc.uint8Array({ maxLength: 80 }) });
  fc.assert(
    fc.property(fc.array(junk, { maxLength: 20 }), fc.nat(20), (others, at) => {
      const signatures = (others as readonly EnvelopeSignature[]).toSpliced(at, 0, ...parsed.signatures);
      const envelope: Envelope = { ...parsed, signatures };
      expect(accepted(envelopeBytes(envelope))).toBe(digestOf(manifest));
      expect(addSignatures(envelope, [key]).signatures).toEqual(signatures);
    }),
  );
});
