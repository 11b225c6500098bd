import type { Json } from "@moorage/core";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalForm, DigestError } from "./canonical-form.ts";

describe("RFC 8785", () => {
  test("3.2.2: the example of the specification", () => {
    const value = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
        '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    ) as Json;
    expect(canonicalForm(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test("3.2.3: names are ordered by UTF-16 code units", () => {
    const value = JSON.parse(
      '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",' +
        '"\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
    ) as Record<string, string>;
    expect(Object.values(JSON.parse(canonicalForm(value)) as Record<string, string>)).toHaveLength(7);
    expect([...canonicalForm(value).matchAll(/:"([^"]+)"/g)].map((match) => match[1])).toEqual([
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]);
  });

  test.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("appendix B: %s is %s", (bits, text) => {
    expect(canonicalForm(Buffer.from(bits, "hex").readDoubleBE())).toBe(text);
  });

  test.each([
    ["a number that is not finite", Number.NaN],
    ["infinity, deep inside", { a: [{ b: Number.NEGATIVE_INFINITY }] }],
    ["a lone surrogate", "\ud83d"],
    ["a lone surrogate in a name", { "\udead": 1 }],
    ["a lone surrogate, deep inside", { a: ["x", { b: "\udfff" }] }],
    ["no JSON at all", undefined as unknown as Json],
    ["a hole in plain data", { a: undefined } as unknown as Json],
    ["a function", [() => 0] as unknown as Json],
  ])("%s is refused", (_what, value) => {
    expect(() => canonicalForm(value)).toThrow(DigestError);
  });

  test("it is what the reference implementation makes of the same data", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const form = ((): string | null => {
          try {
            return canonicalForm(value as Json);
          } catch {
            return null;
          }
        })();
        if (form !== null) expect(form).toBe(canonicalize(value));
        else expect(() => canonicalize(value)).toThrow();
      }),
      { numRuns: 500 },
    );
  });

  test("names like __proto__ and numbers keep their place", () => {
    const value = JSON.parse('{"b":1,"__proto__":2,"10":3,"9":4,"\\n":5}') as Json;
    expect(canonicalForm(value)).toBe('{"\\n":5,"10":3,"9":4,"__proto__":2,"b":1}');
  });

  test("the form depends on no order, and it is the same data", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (value) => {
        const form = canonicalForm(value as Json);
        expect(JSON.parse(form)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalForm(backwards(value as Json))).toBe(form);
      }),
    );
  });
});

function backwards(value: Json): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(backwards);
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>)
      .reverse()
      .map(([key, item]) => [key, backwards(item)]),
  );
}
