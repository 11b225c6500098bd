import type { Json } from "@moorage/core";
import { canonicalForm } from "@moorage/keys";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DocumentNode, documentLimits } from "./document.ts";
import { manifestBytes } from "./manifest.ts";
import { damaged } from "./mutations.fixture.ts";
import { manifestOf, signed } from "./signed-bundle.fixture.ts";
import { key } from "./store-scene.fixture.ts";
import { strictJson } from "./strict-json.ts";
import { writtenJson } from "./written-json.ts";

const manifest = Buffer.from(manifestBytes(manifestOf({ "a.md": "one\n", "caf\u00e9/b.md": "two\n" })));

/** The tree without its places; a list of pairs keeps the order of a record. */
function bare(node: DocumentNode): unknown {
  switch (node.kind) {
    case "record":
      return { members: [...node.members].map(([name, { value }]) => [name, bare(value)]) };
    case "list":
      return node.items.map(bare);
    case "value":
      return Object.is(node.value, -0) ? "minus zero" : node.value;
    default:
      return node satisfies never;
  }
}

/** What is read at all is what a strict reading gives, and it is canonical if it says so. */
function agrees(source: string): boolean {
  const written = writtenJson(source);
  if (written === null) return false;
  expect(bare(written.node)).toEqual(bare(strictJson(source)));
  expect(canonicalForm(JSON.parse(source) as Json) === source).toBe(written.sorted);
  return true;
}

test("what Moorage writes is read at once", () => {
  const envelope = Buffer.from(signed(manifestOf({ "a.md": "one\n" }), key)).toString();
  expect(agrees(manifest.toString())).toBe(true);
  expect(agrees(envelope.trimEnd())).toBe(true);
  expect(writtenJson(manifest.toString())?.sorted).toBe(true);
});

test("any data that Node writes", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      agrees(JSON.stringify(value));
      agrees(JSON.stringify(value).replaceAll("\\", ""));
    }),
    { numRuns: 2_000 },
  );
});

test("bytes that were changed", () => {
  fc.assert(
    fc.property(damaged(manifest), (bad) => void agrees(bad.toString())),
    { numRuns: 5_000 },
  );
});

describe("is read strictly:", () => {
  test.each([
    ["a key twice", '{"a":1,"a":1}'],
    ["a key twice, deep inside", '[{"b":{"a":1,"c":2,"a":3}}]'],
    ["__proto__ twice", '{"__proto__":1,"__proto__":2}'],
    ["a space", '{"a": 1}'],
    ["something behind it", "{} "],
    ["a byte order mark", "\ufeff{}"],
    ["half of a surrogate pair", '["\\ud83d"]'],
    ["an escape that need not be", '["\\u0041"]'],
    ["an integer beyond 2^53 - 1", "[9007199254740992]"],
    ["an integer that is none any more", "[9007199254740993]"],
    ["a number too large", "[1e400]"],
    ["minus zero", "[-0]"],
    ["another form of a number", "[1.0]"],
    ["numbers as names out of their order", '{"10":1,"9":2}'],
    ["nothing", ""],
    ["no JSON", "{a:1}"],
    ["more levels than there may be", "[".repeat(documentLimits.depth + 2) + "]".repeat(documentLimits.depth + 2)],
    ["more levels than a stack has", "[".repeat(200_000) + "]".repeat(200_000)],
    ["more values than there may be", `[${"0,".repeat(documentLimits.values)}0]`],
    ["more letters than there may be", `["${"x".repeat(documentLimits.jsonUnits)}"]`],
  ])("%s", (_what, source) => {
    expect(writtenJson(source)).toBeNull();
  });
});

test("as deep and as many as a strict reading allows", () => {
  expect(agrees("[".repeat(documentLimits.depth + 1) + "]".repeat(documentLimits.depth + 1))).toBe(true);
  expect(writtenJson(`[${"0,".repeat(documentLimits.values - 2)}0]`)).not.toBeNull();
});

test.each([
  ['{"a":1,"b":{"c":1,"d":2}}', true],
  ['{"b":1,"a":2}', false],
  ['[{"a":{"\ue000":1,"\u{1f600}":2}}]', false],
])("%j: that it is canonical is %s", (source, sorted) => {
  expect(agrees(source)).toBe(true);
  expect(writtenJson(source)?.sorted).toBe(sorted);
});
