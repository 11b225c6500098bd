import fs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hashCatalog, readCatalog } from "./catalog.ts";
import { plantTree, type Tree, temporaryFolder } from "./catalog-folder.fixture.ts";
import { catalogHashOf } from "./catalog-hash.ts";
import { golden, treeOf } from "./golden.fixture.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function textTree(tree: Tree, change: (text: string) => string): Tree {
  return Object.fromEntries(
    Object.entries(tree).map(([path, content]) => [path, typeof content === "string" ? change(content) : content]),
  );
}

describe.each(golden)("$what", (golden) => {
  test("has its golden hash", () => {
    plantTree(folder, treeOf(golden));
    expect(hashCatalog(folder)).toBe(golden.hash);
    expect(readCatalog(folder).hash).toBe(golden.hash);
  });

  test("has it in every order of making, with CRLF, with a byte order mark, and under names in normal form D", () => {
    const tree = treeOf(golden);
    const backwards = Object.fromEntries(Object.entries(tree).reverse());
    const decomposed = Object.fromEntries(
      Object.entries(tree).map(([path, content]) => [path.normalize("NFD"), content]),
    );
    const others = [
      backwards,
      textTree(tree, (text) => text.replaceAll("\n", "\r\n")),
      textTree(tree, (text) => `\ufeff${text}`),
    ];
    for (const [index, other] of others.entries())
      expect(hashCatalog(plantTree(join(folder, `${index}`), other))).toBe(golden.hash);
    expect(hashCatalog(plantTree(join(folder, "d"), decomposed))).toBe(golden.hash);
  });
});

test("T06: a root that is reached through a link has the same hash, and so has a link inside as what it leads to", () => {
  plantTree(folder, {
    "real/prompts/a.md": "a\n",
    "real/prompts/b.md": "a\n",
    alias: { link: "real" },
    "linked/prompts/a.md": "a\n",
    "linked/prompts/b.md": { link: "a.md" },
  });
  const hash = hashCatalog(join(folder, "real"));
  expect(hashCatalog(join(folder, "alias"))).toBe(hash);
  expect(hashCatalog(`${folder}/alias/`)).toBe(hash);
  expect(hashCatalog(join(folder, "linked"))).toBe(hash);
});

test("a folder that holds nothing, and permissions, are no content", () => {
  plantTree(folder, { "a.md": "a\n" });
  const hash = hashCatalog(folder);
  fs.mkdirSync(join(folder, "nothing"));
  fs.chmodSync(join(folder, "a.md"), 0o755);
  expect(hashCatalog(folder)).toBe(hash);
});

test("another name, another byte, a line feed less: another hash", () => {
  const trees: Tree[] = [{ "a.md": "a\n" }, { "b.md": "a\n" }, { "a.md": "b\n" }, { "a.md": "a" }, { "a/a.md": "a\n" }];
  const hashes = trees.map((tree, index) => hashCatalog(plantTree(join(folder, `${index}`), tree)));
  expect(new Set(hashes).size).toBe(trees.length);
});

test("T19: the hash has 256 bits, and no two of many catalogs share one", () => {
  const digest = (index: number): string => index.toString(16).padStart(64, "0");
  const hashes = new Set<string>();
  for (let index = 0; index < 100_000; index += 1)
    hashes.add(catalogHashOf([{ path: "a.md", size: 1, sha256: digest(index) }]));
  expect(hashes.size).toBe(100_000);
  for (const hash of [...hashes].slice(0, 10)) expect(hash).toMatch(/^v1:sha256:[0-9a-f]{64}$/);
});

test("T16: the hash names its algorithm, and no field more of a file, nor its kind or rule, moves it", () => {
  plantTree(folder, { "a.md": "a\n", "b.json": "{}\n" });
  const { hash, components } = readCatalog(folder);
  expect(hash).toMatch(/^v1:sha256:/);
  const more = components.map((component) => ({ ...component, kind: "tool", effect: "start", later: null }));
  expect(catalogHashOf(more)).toBe(hash);
});

test("T25: no order of the files counts", () => {
  const file = fc.record({
    path: fc.string({ minLength: 1, unit: "grapheme" }),
    size: fc.nat(),
    sha256: fc.constant("0"),
  });
  fc.assert(
    fc.property(fc.uniqueArray(file, { selector: ({ path }) => path }), (files) => {
      expect(catalogHashOf(files.toReversed())).toBe(catalogHashOf(files));
    }),
  );
});
