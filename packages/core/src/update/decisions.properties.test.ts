import fc from "fast-check";
import { expect, it } from "vitest";
import { classifyUpdate } from "./classify-update.ts";
import { evaluateBundle } from "./evaluate-bundle.ts";
import { axes, differences, type Fingerprint, readFingerprint, runtimeTargetOf } from "./fingerprint.ts";
import { FingerprintError } from "./fingerprint-error.ts";
import { hashOf } from "./fingerprints.fixture.ts";

const version = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const hash = fc.oneof(
  fc.constantFrom(hashOf("a"), hashOf("b")),
  fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 64, maxLength: 64 })
    .map((hex) => `v1:sha256:${hex}`),
);
const fingerprints: fc.Arbitrary<Fingerprint> = fc.record({
  wireVersion: version,
  eventLogSchema: version,
  crdApiVersion: fc.constantFrom("moorage.dev/v1alpha1", "moorage.dev/v1", "example.org/v1"),
  toolCatalogHash: hash,
});

it("an update of a build to itself is warm", () => {
  fc.assert(
    fc.property(fingerprints, (one) => {
      expect(classifyUpdate(one, { ...one })).toBe("warm");
    }),
  );
});

it("cold if and only if a format axis differs, whatever the catalog does", () => {
  fc.assert(
    fc.property(fingerprints, fingerprints, hash, (running, available, other) => {
      const cold = differences(running, available).length > 0;
      expect(classifyUpdate(running, available) === "cold").toBe(cold);
      expect(classifyUpdate(running, { ...available, toolCatalogHash: other }) === "cold").toBe(cold);
    }),
  );
});

it("is symmetric: no direction counts", () => {
  fc.assert(
    fc.property(fingerprints, fingerprints, (one, other) => {
      expect(classifyUpdate(one, other)).toBe(classifyUpdate(other, one));
    }),
  );
});

it("the payload of a bundle plays no part", () => {
  fc.assert(
    fc.property(fingerprints, fingerprints, hash, hash, (running, author, one, other) => {
      const target = runtimeTargetOf(author);
      const verdict = evaluateBundle({ target, catalogHash: one }, running);
      expect(evaluateBundle({ target, catalogHash: other }, running)).toEqual(verdict);
      expect(evaluateBundle({ target, catalogHash: one }, { ...running, toolCatalogHash: other })).toEqual(verdict);
    }),
  );
});

it("the first axis that differs is the reason, with both values", () => {
  fc.assert(
    fc.property(fingerprints, fingerprints, (running, author) => {
      const target = runtimeTargetOf(author);
      const verdict = evaluateBundle({ target, catalogHash: author.toolCatalogHash }, running);
      const first = axes.find((axis) => target[axis] !== running[axis]);
      if (first === undefined) expect(verdict).toEqual({ tier: "hot" });
      else expect(verdict).toMatchObject({ axis: first, expected: target[first], actual: running[first] });
    }),
  );
});

it("a bundle is hot for exactly the builds that no cold move parts from its target", () => {
  fc.assert(
    fc.property(fingerprints, fingerprints, (running, author) => {
      const { tier } = evaluateBundle(
        { target: runtimeTargetOf(author), catalogHash: author.toolCatalogHash },
        running,
      );
      expect(tier === "incompatible").toBe(classifyUpdate(running, author) === "cold");
    }),
  );
});

it("reads what it wrote, and nothing else becomes a fingerprint", () => {
  fc.assert(
    fc.property(fingerprints, fc.jsonValue(), (one, other) => {
      expect(readFingerprint(JSON.parse(JSON.stringify(one)))).toEqual(one);
      expect(() => readFingerprint(other)).toThrow(FingerprintError);
    }),
  );
});
