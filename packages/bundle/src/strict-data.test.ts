import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DocumentFault, documentLimits, faultFlaw, plainOf } from "./document.ts";
import { strictJson } from "./strict-json.ts";
import { strictYaml } from "./strict-yaml.ts";

function fault(read: (source: string) => unknown, source: string): { code: string; place: string; path: string } {
  try {
    read(source);
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    const { code, line, column, path } = faultFlaw(error, source, "f");
    return { code, place: `${line}:${column}`, path };
  }
  throw new Error(`accepted: ${source.slice(0, 100)}`);
}

describe("JSON", () => {
  test.each([
    ['{"a":1,\n "a":2}', "duplicateKey", "2:2", "a"],
    ['{"a":{"b":[{"c":1,"c":1}]}}', "duplicateKey", "1:19", "a.b[0].c"],
    ['{"a":1,"\\u0061":2}', "duplicateKey", "1:8", "a"],
    ['{"n":9007199254740993}', "unsafeInteger", "1:6", "n"],
    ['{"n":-9007199254740992}', "unsafeInteger", "1:6", "n"],
    ["[1, 1e400]", "numberTooLarge", "1:5", "[1]"],
    ['["\\ud83d"]', "loneSurrogate", "1:2", "[0]"],
    ['{"\\udead":1}', "loneSurrogate", "1:2", ""],
    ["{", "notJson", "1:2", ""],
    ['{"a":1,}', "notJson", "1:8", ""],
    ["[1,]", "notJson", "1:4", "[1]"],
    ["{} {}", "notJson", "1:4", ""],
    ["// no\n{}", "notJson", "1:1", ""],
    ["{'a':1}", "notJson", "1:2", ""],
    ["[01]", "notJson", "1:3", ""],
    ["[+1]", "notJson", "1:2", "[0]"],
    ["[NaN]", "notJson", "1:2", "[0]"],
    ['["a\tb"]', "notJson", "1:2", "[0]"],
    ['["\\x"]', "notJson", "1:2", "[0]"],
    ['["open', "notJson", "1:2", "[0]"],
    ["", "notJson", "1:1", ""],
    ["\u00a01", "notJson", "1:1", ""],
  ])("%j: %s", (source, code, place, path) => {
    expect(fault(strictJson, source)).toEqual({ code, place, path });
  });

  test("T20, T22: 1, 1.0 and 1e0 are equal, -0 is 0, and __proto__ is a key like others", () => {
    expect(plainOf(strictJson("[1, 1.0, 1e0, 1E+0]"))).toEqual([1, 1, 1, 1]);
    expect(Object.is((plainOf(strictJson("[-0, -0.0]")) as number[])[0], 0)).toBe(true);
    const plain = plainOf(strictJson('{"__proto__":{"a":1},"10":1,"9":2}'));
    expect(JSON.stringify(plain)).toBe('{"9":2,"10":1,"__proto__":{"a":1}}');
    expect(plainOf(strictJson("9007199254740991"))).toBe(2 ** 53 - 1);
  });

  test("depth, values and length have limits", () => {
    expect(fault(strictJson, "[".repeat(1_000_000)).code).toBe("tooDeep");
    expect(fault(strictJson, `[${"0,".repeat(documentLimits.values)}0]`).code).toBe("tooManyValues");
    expect(fault(strictJson, " ".repeat(documentLimits.jsonUnits + 1)).code).toBe("documentTooLarge");
    expect(plainOf(strictJson(`"${"a".repeat(4_000_000)}"`))).toHaveLength(4_000_000);
    expect(plainOf(strictJson(`"${"\\n".repeat(4_000_000)}"`))).toHaveLength(4_000_000);
    expect(fault(strictJson, `"${"\\n".repeat(4_000_000)}`).code).toBe("notJson");
  });

  test("a number of millions of digits is refused at once", () => {
    const began = performance.now();
    expect(fault(strictJson, `[${"9".repeat(8_000_000)}]`).code).toBe("numberTooLarge");
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test("it reads what Node reads, or is stricter", () => {
    fc.assert(
      fc.property(fc.json(), (source) => {
        const strict = readable(source);
        if (strict !== undefined) expect(JSON.stringify(strict)).toBe(JSON.stringify(JSON.parse(source)));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[],:"\\u0eE+-.1 \ntrfalsn'.split("")) }), (source) => {
        try {
          strictJson(source);
        } catch {
          return;
        }
        expect(() => JSON.parse(source) as unknown).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("YAML", () => {
  test.each([
    ["a: 1\nb: 2\na: 3\n", "duplicateKey", "3:1", "a"],
    ["x:\n  1: a\n  '1': b\n", "duplicateKey", "3:3", 'x["1"]'],
    ["base: &b {a: 1}\nuse:\n  <<: *b\n", "mergeKey", "3:3", "use"],
    ["n: 9007199254740993\n", "unsafeInteger", "1:4", "n"],
    ["n: 0xFFFFFFFFFFFFFFFF\n", "unsafeInteger", "1:4", "n"],
    ["a:\n  - .inf\n", "numberTooLarge", "2:5", "a[0]"],
    ["n: .nan\n", "numberTooLarge", "1:4", "n"],
    ['t: "\\ud800"\n', "loneSurrogate", "1:4", "t"],
    ["t: !!binary aGk=\n", "yamlTag", "1:13", "t"],
    ["t: !mine x\n", "yamlTag", "1:4", "t"],
    ["t: *nowhere\n", "unknownAnchor", "1:4", "t"],
    ["? [a]\n: 1\n", "keyNotText", "1:3", ""],
    ["a: b: c\n", "notYaml", "1:4", "a.b"],
    ["%YAML 1.1\n---\na: 1\n", "yamlVersion", "1:1", ""],
    ["a: &a [*a]\n", "tooDeep", "1:8", ""],
  ])("%j: %s", (source, code, place, path) => {
    const found = fault(strictYaml, source);
    expect(found.code).toBe(code);
    expect(found.place).toBe(place);
    expect(found.path).toBe(path);
  });

  test("a billion laughs, quickly and in little memory", () => {
    const levels = Array.from({ length: 10 }, (_, at) => {
      const items = at === 0 ? '"lol"' : Array.from({ length: 9 }, () => `*l${at - 1}`).join(", ");
      return `l${at}: &l${at} [${items}]`;
    });
    const before = process.memoryUsage().rss;
    const began = performance.now();
    expect(fault(strictYaml, `${levels.join("\n")}\n`).code).toBe("tooManyAliases");
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  });

  test("a billion laughs in many documents", () => {
    const document = `- &a [${"x, ".repeat(300)}]\n${"- *a\n".repeat(90)}---\n`;
    expect(fault(strictYaml, document.repeat(20)).code).toBe("tooManyAliases");
    expect(fault(strictYaml, "---\n".repeat(documentLimits.values + 1)).code).toBe("tooManyValues");
  });

  test("nested without an end", () => {
    expect(fault(strictYaml, "[".repeat(20_000)).code).toBe("tooDeep");
    expect(fault(strictYaml, `${"- ".repeat(2_000)}a\n`).code).toBe("tooDeep");
    expect(fault(strictYaml, `a: ${"b".repeat(documentLimits.yamlUnits)}\n`).code).toBe("documentTooLarge");
  });

  test("many keys cost no time squared", () => {
    const began = performance.now();
    strictYaml(Array.from({ length: 20_000 }, (_, at) => `k${at}: 1\n`).join(""));
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test("T23: what 1.1 and 1.2 read differently is read as 1.2, and a few aliases are fine", () => {
    const [node] = strictYaml("a: yes\nb: 010\nc: &c 0o10\nd: *c\ne: 12:30\nf: ~\ng: 2026-01-01\n'<<': quoted\n");
    expect(node === undefined ? null : plainOf(node)).toEqual({
      a: "yes",
      b: 10,
      c: 8,
      d: 8,
      e: "12:30",
      f: null,
      g: "2026-01-01",
      "<<": "quoted",
    });
    expect(strictYaml("a: 1\n---\nb: 2\n").map(plainOf)).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test("JSON is YAML, and both readings agree", () => {
    fc.assert(
      fc.property(
        fc.json({ stringUnit: fc.constantFrom("a", "B", "é", " ", "\n", "\u{1f600}"), maxDepth: 3 }),
        (source) => {
          const strict = readable(source);
          if (strict === undefined) return;
          const [node] = strictYaml(source);
          expect(node === undefined ? null : plainOf(node)).toEqual(strict);
        },
      ),
    );
  });
});

/** As strict JSON; undefined for the integers of which alone it is stricter. */
function readable(source: string): unknown {
  try {
    return plainOf(strictJson(source));
  } catch (error) {
    if (error instanceof DocumentFault && error.code === "unsafeInteger") return undefined;
    throw error;
  }
}
