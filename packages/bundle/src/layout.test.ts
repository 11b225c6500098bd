import fs from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readCatalog } from "./catalog.ts";
import { flawsOf, plantTree, temporaryFolder } from "./catalog-folder.fixture.ts";
import { collision, foldName, pathMistake } from "./catalog-path.ts";
import { glob } from "./glob.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function placed(): Record<string, string> {
  return Object.fromEntries(
    readCatalog(folder).components.map(({ path, kind, effect }) => [path, `${kind} ${effect}`]),
  );
}

const files = { "prompts/a.md": "", "personas/b.yaml": "", "routes/c.json": "{}", "tools/d.json": "{}", "e.csv": "" };

test("without a catalog.yaml the usual folders say what their files are, and all takes effect at a turn", () => {
  plantTree(folder, files);
  expect(placed()).toEqual({
    "prompts/a.md": "prompt turn",
    "personas/b.yaml": "persona turn",
    "routes/c.json": "route turn",
    "tools/d.json": "tool turn",
    "e.csv": "data turn",
  });
});

test("its globs decide, the last that matches, and one that matches nothing is told", () => {
  const text = [
    "components:",
    "  - { match: '**/*.json', effect: start }",
    "  - { match: 'tools/**', effect: turn }",
    "  - { match: '*.csv', kind: route }",
    "  - { match: 'nothing/**', kind: data }",
  ].join("\n");
  plantTree(folder, { ...files, "catalog.yaml": text });
  expect(placed()).toMatchObject({
    "routes/c.json": "route start",
    "tools/d.json": "tool turn",
    "e.csv": "route turn",
    "catalog.yaml": "data turn",
  });
  expect(readCatalog(folder).unmatched).toEqual([{ file: "catalog.yaml", glob: "nothing/**" }]);
});

test.each([
  ["- a\n", 1, 1, "", "not a record"],
  ["other: 1\n", 1, 1, "other", "unknown"],
  ["components: 5\n", 1, 13, "components", "not a list"],
  ["components:\n  - x\n", 2, 5, "components[0]", "not a record"],
  ["components:\n  - { kind: tool }\n", 2, 5, "components[0].match", "not a glob"],
  ["components:\n  - { match: a, kind: tol }\n", 2, 23, "components[0].kind", "none of prompt"],
  ["components:\n  - { match: a, effect: now }\n", 2, 25, "components[0].effect", "none of turn, start"],
  ["components:\n  - { match: a }\n", 2, 5, "components[0]", "neither"],
  ["components:\n  - { match: /a, kind: tool }\n", 2, 14, "components[0].match", "absolute"],
  ["components:\n  - { match: ../a, kind: tool }\n", 2, 14, "components[0].match", "names no folder"],
  ["components:\n  - { match: a, kind: tool, when: 1 }\n", 2, 29, "components[0].when", "unknown"],
  ["components:\n  - { match: 7, kind: tool }\n", 2, 14, "components[0].match", "not a glob"],
  ["a: 1\na: 2\n", 2, 1, "a", "there twice"],
  ["components: []\n---\ncomponents: []\n", 3, 1, "", "a second document"],
])("%j is refused with its place", (text, line, column, path, message) => {
  const flaws = flawsOf(plantTree(folder, { ...files, "catalog.yaml": text }));
  expect(flaws[0]).toMatchObject({ file: "catalog.yaml", line, column, path });
  expect(flaws[0]?.message).toContain(message);
});

test("a catalog.yaml that says nothing", () => {
  for (const text of ["", "# later\n", "components: []\n"]) {
    plantTree(folder, { ...files, "catalog.yaml": text });
    expect(placed()["tools/d.json"]).toBe("tool turn");
  }
});

test.each([
  ["a/*.md", ["a/b.md", "a/.md"], ["a/b/c.md", "b.md", "a/b.mdx"]],
  ["**/a", ["a", "x/a", "x/y/a"], ["ab", "a/b"]],
  ["a/**", ["a/b", "a/b/c", "a"], ["b/a", "ab"]],
  ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/bb", "b"]],
  ["a?c*", ["abc", "a\u{1f600}cd"], ["ac", "a/c"]],
  ["[a].md", ["[a].md"], ["a.md"]],
])("the glob %s", (pattern, yes, no) => {
  for (const path of yes) expect(`${path} ${glob(pattern)(path)}`).toBe(`${path} true`);
  for (const path of no) expect(`${path} ${glob(pattern)(path)}`).toBe(`${path} false`);
});

test("a glob that is made to be slow is not", () => {
  const began = performance.now();
  expect(glob(`${"*a".repeat(100)}b`)("a".repeat(250))).toBe(false);
  expect(glob(Array.from({ length: 15 }, () => "**/a").join("/"))(`${"a/".repeat(31)}b`)).toBe(false);
  expect(performance.now() - began).toBeLessThan(1_000);
});

test("a name and its other cases are one name where files are, in every script", () => {
  for (let point = 0; point < 0x110000; point += 1) {
    const name = String.fromCodePoint(point);
    if (!name.isWellFormed()) continue;
    const folded = foldName(name);
    for (const other of [name.toLowerCase(), name.toUpperCase(), name.normalize("NFD"), folded])
      if (foldName(other) !== folded) expect(`${point.toString(16)}: ${foldName(other)}`).toBe(folded);
  }
});

test("paths that somebody else wrote", () => {
  for (const bad of [
    "",
    "/a",
    "a//b",
    "a/",
    "./a",
    "a/../b",
    "..",
    "a\\b",
    "a\0b",
    "cafe\u0301",
    "a\nb",
    "x/".repeat(40),
    "y".repeat(300),
  ])
    expect(`${bad} ${pathMistake(bad)}`).not.toBe(`${bad} null`);
  for (const good of ["a", "a/b.md", "..a", "caf\u00e9", "\u{1f600}/x y"]) expect(pathMistake(good)).toBeNull();
  expect(collision(["a/b", "a/c", "b"])).toBeNull();
  expect(collision(["a/b", "A/c"])).toEqual(["a", "A/c"]);
  expect(collision(["a", "a/b"])).toEqual(["a", "a/b"]);
  expect(collision(["a/b", "a"])).toEqual(["a", "a"]);
  expect(collision(["x", "x"])).toEqual(["x", "x"]);
});
