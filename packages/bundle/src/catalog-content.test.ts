import fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BundleError } from "./bundle-error.ts";
import { nextManifest, readCatalogContent } from "./catalog-content.ts";
import { plantTree, temporaryFolder } from "./catalog-folder.fixture.ts";
import { manifestBytes, parseManifest } from "./manifest.ts";
import { optionsFor, running, signed } from "./signed-bundle.fixture.ts";
import { openStore } from "./store.ts";
import { channel, key, root } from "./store-scene.fixture.ts";
import { linkedName, switchLink, unpackBundle } from "./unpack.ts";
import { verifyBundle } from "./verify-bundle.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const { wireVersion, eventLogSchema, crdApiVersion } = running;
const facts = {
  channel,
  target: { wireVersion, eventLogSchema, crdApiVersion },
  rootVersion: 1,
  created: "2026-01-01T00:00:00.000Z",
  expires: null,
};

test("from a directory to what an agent reads: what was hashed is what arrives, whatever is edited meanwhile", () => {
  const catalog = plantTree(join(folder, "catalog"), {
    "prompts/system.md": "\ufefffirst\r\n",
    "logo.bin": Buffer.from([0, 255, 13, 10]),
    "catalog.yaml": "components:\n  - { match: '*.bin', effect: start }\n",
  });
  const store = openStore(join(folder, "bundles"), { now: () => 0 });
  fs.mkdirSync(join(folder, "copies"));
  const publish = (): string => {
    const content = readCatalogContent(catalog);
    fs.writeFileSync(join(catalog, "prompts/system.md"), "edited in between\n");
    const manifest = nextManifest(content.catalog, { ...facts, parent: store.head(channel) });
    expect(parseManifest(manifestBytes(manifest))).toEqual(manifest);
    const options = { ...optionsFor(root, {}), floor: store.floor(channel), payload: content.payload };
    const verdict = verifyBundle(signed(manifest, key), options);
    if (verdict.kind === "refused") throw new Error(verdict.message);
    store.put(verdict.bundle, content.payload);
    expect(store.publish(verdict.bundle).kind).toBe("published");
    const name = store.withPayload(verdict.bundle, (payload) =>
      unpackBundle(verdict.bundle, payload ?? (() => null), join(folder, "copies")),
    );
    switchLink(join(folder, "copies/current"), name);
    return join(folder, "copies", linkedName(join(folder, "copies/current"))!);
  };
  const first = publish();
  expect(fs.readFileSync(join(first, "prompts/system.md"), "utf8")).toBe("first\n");
  expect(fs.readFileSync(join(first, "logo.bin"))).toEqual(Buffer.from([0, 255, 13, 10]));
  expect(fs.statSync(join(first, "logo.bin")).mode & 0o777).toBe(0o400);
  const second = publish();
  expect(fs.readFileSync(join(second, "prompts/system.md"), "utf8")).toBe("edited in between\n");
  expect(fs.readFileSync(join(first, "prompts/system.md"), "utf8")).toBe("first\n");
  expect(store.head(channel)?.sequence).toBe(2);
});

test("T77: what one wrote, another who has the store open reads at once", () => {
  const [one, other] = [0, 1].map(() => openStore(join(folder, "bundles"), { now: () => 0 })) as [
    ReturnType<typeof openStore>,
    ReturnType<typeof openStore>,
  ];
  for (const [round, writer] of [one, other, one, other].entries()) {
    const { catalog, payload } = readCatalogContent(plantTree(join(folder, "c"), { "a.md": `${round}\n` }));
    const manifest = nextManifest(catalog, { ...facts, parent: other.head(channel) });
    const verdict = verifyBundle(signed(manifest, key), { ...optionsFor(root, {}), payload });
    if (verdict.kind === "refused") throw new Error(verdict.message);
    writer.put(verdict.bundle, payload);
    writer.publish(verdict.bundle);
    expect(one.head(channel)).toEqual(other.head(channel));
    expect(one.head(channel)?.sequence).toBe(round + 1);
  }
});

test("limits count for content that is held in memory, too", () => {
  plantTree(folder, { "a.bin": "12345" });
  const limits = { files: 10, entries: 10, bytes: 4 };
  expect(() => readCatalogContent(folder, limits)).toThrow(BundleError);
});
