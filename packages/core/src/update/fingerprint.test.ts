import { describe, expect, it } from "vitest";
import { compareCatalogHashes } from "./catalog-hash.ts";
import { classifyUpdate } from "./classify-update.ts";
import { evaluateBundle } from "./evaluate-bundle.ts";
import { axes, differences, type Fingerprint, readFingerprint, readRuntimeTarget } from "./fingerprint.ts";
import { FingerprintError } from "./fingerprint-error.ts";
import { build, hashOf } from "./fingerprints.fixture.ts";

function fault(run: () => unknown): FingerprintError {
  try {
    run();
  } catch (error) {
    if (error instanceof FingerprintError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const versions = [null, "3", "", true, -1, 0.5, Number.NaN, Infinity, 2 ** 32, 2 ** 53, {}, [3]];
const names = [null, 1, "", "v1", "/v1", "moorage.dev/", "moorage.dev", "a/b/v1", "Moorage.dev/v1", "moorage.dev/V1"];
const moreNames = ["moorage.dev/1", " moorage.dev/v1", "moorage.dev/v1\n", ".dev/v1", "a./v1", `${"a".repeat(400)}/v1`];
/** Names of catalogs, but no hashes: nothing reads them from outside, and a decision compares them all the same. */
const foreign = ["abc", "catalog-a", "a".repeat(64), `sha256:${"a".repeat(64)}`];
const hashes = [null, 1, "", "a b", "a\n", "a".repeat(513), "\u00e4", `v1:sha256:${"a".repeat(63)}`];
const moreHashes = [
  `${hashOf("a")}a`,
  hashOf("A"),
  hashOf("g"),
  `${hashOf("a")}\n`,
  "v0:sha256:",
  `v1:sha256:${"a".repeat(40)}`,
];

const malformed: [keyof Fingerprint, unknown][] = [
  ...versions.flatMap((value): [keyof Fingerprint, unknown][] => [
    ["wireVersion", value],
    ["eventLogSchema", value],
  ]),
  ...[...names, ...moreNames].map((value): [keyof Fingerprint, unknown] => ["crdApiVersion", value]),
  ...[...hashes, ...moreHashes].map((value): [keyof Fingerprint, unknown] => ["toolCatalogHash", value]),
];

describe("a malformed axis is an error and never equal", () => {
  it.each(malformed)("%s: %j", (axis, value) => {
    const wrong = { ...build(), [axis]: value } as Fingerprint;
    for (const run of [
      () => readFingerprint(wrong),
      () => classifyUpdate(wrong, build()),
      () => classifyUpdate(build(), wrong),
      () => classifyUpdate(wrong, wrong),
      () => classifyUpdate(build({ wireVersion: 9 }), wrong),
      () =>
        evaluateBundle(
          {
            target: readRuntimeTarget({ wireVersion: 3, eventLogSchema: 7, crdApiVersion: "m.dev/v1" }),
            catalogHash: hashOf("b"),
          },
          wrong,
        ),
    ])
      expect(fault(run)).toMatchObject({ code: "malformedAxis", axis });
  });

  it.each(["wireVersion", "eventLogSchema", "crdApiVersion", "toolCatalogHash"] as const)("%s missing", (axis) => {
    const { [axis]: _, ...rest } = build();
    const wrong = rest as Fingerprint;
    for (const run of [
      () => classifyUpdate(wrong, build()),
      () => classifyUpdate(build(), wrong),
      () => classifyUpdate(wrong, wrong),
    ])
      expect(fault(run)).toMatchObject({ code: "missingAxis", axis });
  });

  it("of a bundle's target and payload too", () => {
    const { toolCatalogHash: _, ...target } = build();
    const wrong = { ...target, eventLogSchema: -1 };
    expect(fault(() => evaluateBundle({ target: wrong, catalogHash: hashOf("a") }, build()))).toMatchObject({
      axis: "eventLogSchema",
    });
    expect(fault(() => evaluateBundle({ target, catalogHash: "" }, build()))).toMatchObject({
      axis: "toolCatalogHash",
    });
    const missing = { catalogHash: hashOf("a") } as Parameters<typeof evaluateBundle>[0];
    expect(fault(() => evaluateBundle(missing, build()))).toMatchObject({ code: "notAFingerprint" });
    const nothing = undefined as unknown as Parameters<typeof evaluateBundle>[0];
    expect(fault(() => evaluateBundle(nothing, build()))).toMatchObject({ code: "notAFingerprint" });
  });
});

it("an axis that nobody knows is an error", () => {
  const wrong = { ...build(), storageVersion: 1 };
  expect(fault(() => classifyUpdate(wrong, build()))).toMatchObject({ code: "unknownAxis", axis: "storageVersion" });
  expect(fault(() => classifyUpdate(build(), wrong))).toMatchObject({ code: "unknownAxis", axis: "storageVersion" });
  expect(fault(() => readRuntimeTarget(build()))).toMatchObject({ code: "unknownAxis", axis: "toolCatalogHash" });
});

it.each([null, undefined, "moorage", 3, [], [build()]])("%j is no fingerprint", (value) => {
  const wrong = value as unknown as Fingerprint;
  expect(fault(() => classifyUpdate(wrong, build())).code).toBe("notAFingerprint");
  expect(fault(() => classifyUpdate(build(), wrong)).code).toBe("notAFingerprint");
  expect(fault(() => readFingerprint(value)).code).toBe("notAFingerprint");
  expect(fault(() => readRuntimeTarget(value)).code).toBe("notAFingerprint");
});

it("reads the bounds of an axis", () => {
  const least = build({ wireVersion: 0, eventLogSchema: 2 ** 32 - 1, crdApiVersion: "a/v1" });
  expect(readFingerprint(JSON.parse(JSON.stringify(least)))).toEqual(least);
  expect(readFingerprint(build({ crdApiVersion: "my-group.example.org/v2beta13" })).crdApiVersion).toContain(
    "v2beta13",
  );
});

it("an error says what it must be, in few characters", () => {
  const error = fault(() => readFingerprint({ ...build(), crdApiVersion: "x".repeat(10_000) }));
  expect(error.message.length).toBeLessThan(200);
  expect(error.hint).toContain("group/version");
});

describe("catalogs that somebody else names", () => {
  it.each(foreign)("%s is compared for identity, and is no hash that may be read", (name) => {
    const running = build({ toolCatalogHash: name });
    expect(classifyUpdate(running, build({ toolCatalogHash: name }))).toBe("warm");
    expect(classifyUpdate(running, build({ toolCatalogHash: `${name}b` }))).toBe("hot");
    expect(evaluateBundle({ target: readRuntimeTarget(target(running)), catalogHash: name }, running)).toEqual({
      tier: "hot",
    });
    expect(fault(() => readFingerprint(running))).toMatchObject({ code: "malformedAxis", axis: "toolCatalogHash" });
    expect(fault(() => classifyUpdate(running, build()))).toMatchObject({ code: "hashesNotComparable" });
  });
});

function target({ wireVersion, eventLogSchema, crdApiVersion }: Fingerprint): object {
  return { wireVersion, eventLogSchema, crdApiVersion };
}

describe("catalog hashes of different algorithms", () => {
  const sha512 = `v1:sha512:${"a".repeat(128)}`;
  const v2 = `v2:sha256:${"a".repeat(64)}`;

  it("are neither the same nor different", () => {
    expect(compareCatalogHashes(hashOf("a"), v2)).toBe("notComparable");
    expect(compareCatalogHashes(v2, sha512)).toBe("notComparable");
    expect(compareCatalogHashes(v2, v2)).toBe("same");
    expect(compareCatalogHashes(v2, `v2:sha256:${"b".repeat(64)}`)).toBe("different");
    expect(compareCatalogHashes(hashOf("a"), hashOf("b"))).toBe("different");
  });

  it("are never an update", () => {
    const running = build();
    const available = build({ toolCatalogHash: v2 });
    expect(fault(() => classifyUpdate(running, available))).toMatchObject({ code: "hashesNotComparable" });
    expect(classifyUpdate(running, { ...available, wireVersion: 4 })).toBe("cold");
  });
});

it("differences are told in the order of the axes", () => {
  expect(differences(build(), build({ crdApiVersion: "moorage.dev/v2", wireVersion: 4, eventLogSchema: 8 }))).toEqual(
    axes,
  );
  expect(differences(build(), build({ toolCatalogHash: hashOf("b") }))).toEqual([]);
});
