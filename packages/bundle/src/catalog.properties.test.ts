/** Whatever lies in a folder: it is refused as a catalog, or everybody who comes after takes it for the same one. */
import fs from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BundleError } from "./bundle-error.ts";
import { hashCatalog } from "./catalog.ts";
import { type CatalogContent, nextManifest, readCatalogContent } from "./catalog-content.ts";
import { temporaryFolder } from "./catalog-folder.fixture.ts";
import { optionsFor, running, signed } from "./signed-bundle.fixture.ts";
import { channel, key, root } from "./store-scene.fixture.ts";
import { unpackBundle } from "./unpack.ts";
import { verifyBundle } from "./verify-bundle.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const { wireVersion, eventLogSchema, crdApiVersion } = running;
const facts = {
  channel,
  parent: null,
  target: { wireVersion, eventLogSchema, crdApiVersion },
  rootVersion: 1,
  created: "2026-01-01T00:00:00.000Z",
  expires: null,
};

const letters = [
  "a",
  "B",
  "\u00df",
  "\u1e9e",
  "e\u0301",
  "\u00e9",
  "\u0130",
  "\u03c2",
  "\u{1d160}",
  "\u{1f600}",
  "\uff21",
];
const odd = [" ", ".", "-", "\\", "\n", "\u202e", "\u200d", "%", "~", "$", "con", "a".repeat(100), "\ufeff"];
const name = fc
  .array(
    fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...letters) }, { weight: 1, arbitrary: fc.constantFrom(...odd) }),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((parts) => parts.join(""));
const extension = fc.constantFrom("", ".md", ".json", ".yaml", ".bin", ".TXT", ".prompt");
const path = fc
  .tuple(fc.array(name, { maxLength: 2 }), name, extension)
  .map(([folders, file, end]) => [...folders, `${file}${end}`].join("/"));
const content = fc.oneof(
  fc.constantFrom("", "{}\n", "a: 1\r\n", "\ufeff{}", "\ufeff\ufeffa\n", "a\rb", "[1,2", "\0", "text\n"),
  fc.uint8Array({ maxLength: 30 }),
  fc.json(),
);

/** What a file system takes, of what is asked: a name may be a folder already, or be too long. */
function plant(place: string, tree: readonly (readonly [string, string | Uint8Array])[]): void {
  fs.mkdirSync(place);
  for (const [below, bytes] of tree)
    try {
      fs.mkdirSync(dirname(join(place, below)), { recursive: true });
      fs.writeFileSync(join(place, below), bytes);
    } catch (error) {
      expect(["EISDIR", "ENOTDIR", "EEXIST", "ENAMETOOLONG"]).toContain((error as { readonly code?: string }).code);
    }
}

function readOrNull(place: string): CatalogContent | null {
  try {
    return readCatalogContent(place);
  } catch (error) {
    if (error instanceof BundleError) return null;
    throw error;
  }
}

test("from any folder to what an agent reads, or not at all", () => {
  let round = 0;
  let taken = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(path, content), { minLength: 1, maxLength: 4 }), (tree) => {
      const place = join(folder, String((round += 1)));
      plant(place, tree);
      const read = readOrNull(place);
      if (read === null) return;
      taken += 1;
      const { catalog, payload } = read;
      const manifest = nextManifest(catalog, facts);
      const verdict = verifyBundle(signed(manifest, key), { ...optionsFor(root, {}), payload });
      if (verdict.kind === "refused") throw new Error(verdict.message);
      expect(verdict.bundle.manifest).toEqual(manifest);
      const copy = join(place, unpackBundle(verdict.bundle, payload, place));
      // A catalog may leave files out; what is left is a catalog of its own.
      expect(hashCatalog(copy)).toBe(catalog.hash);
    }),
    { numRuns: 400 },
  );
  // Otherwise nothing was tried.
  expect(taken).toBeGreaterThan(100);
});
