import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bundleDiff, type DiffSide } from "./diff.ts";
import { diffText } from "./diff-text.ts";
import { lineDiff } from "./line-diff.ts";
import { componentsOf, type Files } from "./signed-bundle.fixture.ts";
import { valueDiff } from "./value-diff.ts";

function side(files: Files): DiffSide {
  return {
    components: componentsOf(files),
    payload: ({ path }) => (files[path] === undefined ? null : Buffer.from(files[path])),
  };
}

function told(before: Files, after: Files): string[] {
  return diffText(bundleDiff(side(before), side(after)));
}

test("nothing for two that are the same", () => {
  expect(told({ "a.md": "a\n" }, { "a.md": "a\n" })).toEqual([]);
});

test("T13: the leaf is named: this prompt's line", () => {
  expect(told({ "prompts/a.md": "one\ntwo\nthree\n" }, { "prompts/a.md": "one\n2\nthree\nfour\n" })).toEqual([
    "~ prompts/a.md (prompt)",
    "    2 - two",
    "    2 + 2",
    "    4 + four",
  ]);
});

test("T13: the leaf is named: this tool's description, that route's model", () => {
  const tools = (description: string): string => JSON.stringify({ tools: [{ name: "search", description, limit: 1 }] });
  expect(
    told(
      { "tools/all.json": tools("Looks things up"), "routes/r.yaml": "model: small\nretries: 1\n" },
      { "tools/all.json": tools("Finds things"), "routes/r.yaml": "model: large\nretries: 1\n" },
    ),
  ).toEqual([
    "~ routes/r.yaml (prompt)",
    '    ~ model: "small" → "large"',
    "~ tools/all.json (prompt)",
    '    ~ tools.search.description: "Looks things up" → "Finds things"',
  ]);
});

test("a named item more does not move the others, and another order is told as that", () => {
  const [a, b, c] = [
    { name: "a", x: 1 },
    { name: "b", x: 2 },
    { name: "c", x: 3 },
  ];
  expect(valueDiff([a, b], [c, a, b])).toEqual([{ kind: "added", path: "c", after: c }]);
  expect(valueDiff([a, b], [b, a])).toEqual([{ kind: "reordered", path: "", before: ["a", "b"], after: ["b", "a"] }]);
  expect(valueDiff([a, a], [a, b])).toEqual([
    { kind: "changed", path: "[1].name", before: "a", after: "b" },
    { kind: "changed", path: "[1].x", before: 1, after: 2 },
  ]);
  expect(valueDiff([1, 2], [1])).toEqual([{ kind: "removed", path: "[1]", before: 2 }]);
  expect(valueDiff({ "a b": null }, {})).toEqual([{ kind: "removed", path: '["a b"]', before: null }]);
});

test("a long text inside of data is told by its lines", () => {
  const text = (line: string): string => JSON.stringify({ prompt: `first\n${line}\nlast\n` });
  expect(told({ "a.json": text("x") }, { "a.json": text("y") })).toEqual([
    "~ a.json (prompt)",
    "    ~ prompt:",
    "        2 - x",
    "        2 + y",
  ]);
});

test("of a file that only reads differently the lines are told", () => {
  expect(told({ "a.yaml": "a: 1\n" }, { "a.yaml": "# why\na: 1\n" })).toEqual(["~ a.yaml (prompt)", "    1 + # why"]);
});

test("added, removed and moved files, and bytes", () => {
  expect(
    told(
      { "a.md": "one\n", "gone.md": "gone\n", "logo.bin": "abc", "empty-a.md": "" },
      { "b.md": "one\n", "new.md": "n", "logo.bin": "abcd", "empty-b.md": "" },
    ),
  ).toEqual([
    "> a.md → b.md (prompt, 4 bytes)",
    "- empty-a.md (prompt, 0 bytes)",
    "+ empty-b.md (prompt, 0 bytes)",
    "- gone.md (prompt, 5 bytes)",
    expect.stringMatching(/^~ logo\.bin \(prompt\)$/),
    expect.stringMatching(/^ {4}3 bytes, sha256 [0-9a-f]{12}… → 4 bytes, sha256 [0-9a-f]{12}…$/),
    "+ new.md (prompt, 1 byte)",
  ]);
});

test("another kind or rule without another content", () => {
  const before = side({ "a.md": "a" });
  const [component] = before.components;
  const after: DiffSide = { ...before, components: [{ ...component!, kind: "data", effect: "start" }] };
  expect(diffText(bundleDiff(before, after))).toEqual([
    "~ a.md (data)",
    "    kind: prompt → data",
    "    takes effect at: turn → start",
  ]);
});

test("content that is not at hand is told by size and digest", () => {
  const before = side({ "a.md": "a\n" });
  const after = { ...side({ "a.md": "bb\n" }), payload: () => null };
  expect(bundleDiff(before, after)).toMatchObject([{ kind: "changed", leaves: null }]);
});

test("nothing of a catalog's reaches a terminal as a control character", () => {
  const lines = told({ "a.md": "x\n" }, { "a.md": "\u001b[2Jx\u0007\u202egnp\n", "b\u2066.md": "" });
  expect(lines.join("")).not.toMatch(/[\p{Cc}\u202e\u2066]/u);
  expect(lines.join("")).toContain("\\u001b[2Jx\\u0007\\u202egnp");
});

describe("lines", () => {
  test("what is removed and added leads from one text to the other", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 }).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = lineDiff(before, after);
        expect(hunks.length === 0).toBe(before === after);
        const lines = (side: string): string[] => {
          const all = side.split("\n");
          if (all.at(-1) === "") all.pop();
          else all[all.length - 1] += " \\ no line feed at the end";
          return all;
        };
        const result = lines(before);
        for (const hunk of hunks.toReversed()) {
          expect(result.slice(hunk.before - 1, hunk.before - 1 + hunk.removed.length)).toEqual(hunk.removed);
          result.splice(hunk.before - 1, hunk.removed.length, ...hunk.added);
        }
        expect(result).toEqual(lines(after));
      }),
      { numRuns: 1_000 },
    );
  });

  test("two large texts that have nothing in common take no time squared", () => {
    const text = (word: string): string => `${word}\n`.repeat(100_000);
    const began = performance.now();
    expect(lineDiff(text("a"), text("b"))).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
