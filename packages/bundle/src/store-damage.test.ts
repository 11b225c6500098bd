import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "./catalog-folder.fixture.ts";
import { digestOf, optionsFor } from "./signed-bundle.fixture.ts";
import { StoreError } from "./store-error.ts";
import {
  bundleOf,
  channel,
  copyOf,
  goLive,
  liveOne,
  newFiles,
  newManifest,
  oldFiles,
  oldManifest,
  onlyWholeCopies,
  openScene,
  root,
  type Scene,
} from "./store-scene.fixture.ts";
import { isUnpacked } from "./unpack.ts";

let folder: string;
let scene: Scene;
beforeEach(() => {
  folder = temporaryFolder();
  scene = openScene(folder);
  goLive(scene, oldManifest, oldFiles);
  const digest = digestOf(oldManifest);
  scene.store.confirm(scene.store.assign(channel, digest));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Every file, link and folder of a store with one bundle, below the store. */
const places = [
  `sha256/${digestOf(oldManifest).slice(-64)}.bundle`,
  "channels/writers/main/0000000001",
  "channels/writers/main/assigned/0000000001",
  "channels/writers/main/confirmed/0000000001",
  "channels/writers/main/assigned",
  "channels/writers/main",
  "channels",
  "sha256",
];

const damages: Readonly<Record<string, (place: string) => void>> = {
  "is gone": () => {},
  "is empty": (place) => fs.writeFileSync(place, ""),
  "holds something else": (place) => fs.writeFileSync(place, "{}\n".repeat(100)),
  "is of 2 GB": (place) => {
    fs.writeFileSync(place, "");
    fs.truncateSync(place, 2 ** 31);
  },
  "is a folder": (place) => fs.mkdirSync(join(place, "in"), { recursive: true }),
  "is a pipe": (place) => execFileSync("mkfifo", [place]),
  "is a link to itself": (place) => fs.symlinkSync(place, place),
  "is a link to nowhere": (place) => fs.symlinkSync("nowhere", place),
  "is a link out of the store": (place) => fs.symlinkSync("/etc/passwd", place),
  "is a link to what has no end": (place) => fs.symlinkSync("/dev/zero", place),
  "is a link to the folder above": (place) => fs.symlinkSync("..", place),
};

/** What was told, in one word; whatever else is thrown is a bug. */
function told(work: () => unknown): string {
  try {
    const found = work();
    return found === null ? "nothing" : "something";
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    expect(error.hint).not.toBe("");
    return error.code;
  }
}

describe.each(places)("%s", (path) => {
  test.each(Object.entries(damages))("%s", (_what, damage) => {
    const place = join(folder, "bundles", path);
    fs.rmSync(place, { recursive: true });
    damage(place);
    const began = performance.now();
    const { store } = openScene(folder);
    const { payload: _, ...options } = optionsFor(root, oldFiles);
    const digest = digestOf(oldManifest);
    const looks = {
      get: told(() => {
        const found = store.get(digest, options);
        if (found.kind === "verified") expect(found.bundle.manifest).toEqual(oldManifest);
        else expect(found.message).not.toBe("");
        return found;
      }),
      manifest: told(() => {
        const found = store.manifest(digest);
        if (found !== null) expect(found).toEqual(oldManifest);
        return found;
      }),
      ...Object.fromEntries(
        ([store.head, store.assigned, store.confirmed] as const).map((look, at) => [
          ["head", "assigned", "confirmed"][at],
          told(() => {
            const found = look(channel);
            if (found !== null) expect(found).toEqual({ channel, sequence: 1, digest });
            return found;
          }),
        ]),
      ),
      floor: told(() => store.floor(channel)),
    };
    expect(JSON.stringify(looks)).not.toContain("undefined");
    // The agent keeps what it has, whatever somebody tries next.
    expect(liveOne(scene)).toBe("old");
    told(() => store.put(bundleOf(newManifest, newFiles), optionsFor(root, newFiles).payload));
    told(() => goLive(openScene(folder), newManifest, newFiles));
    expect(["old", "new"]).toContain(liveOne(scene));
    expect(onlyWholeCopies(scene)).toBe(true);
    expect(performance.now() - began).toBeLessThan(5_000);
    // Node's own walk would follow a link in circles.
    const left = execFileSync("find", [folder, "-name", "*.new"], { encoding: "utf8" });
    expect(left).toBe("");
  });
});

test("a pipe in the place of a bundle is none, and storing again takes its place", () => {
  const digest = digestOf(oldManifest);
  const { payload, ...options } = optionsFor(root, oldFiles);
  const place = join(folder, "bundles", places[0] ?? "");
  fs.rmSync(place);
  execFileSync("mkfifo", [place]);
  expect(scene.store.get(digest, options)).toMatchObject({ kind: "refused", reason: "envelopeInvalid" });
  scene.store.put(bundleOf(oldManifest, oldFiles), payload);
  expect(scene.store.get(digest, options).kind).toBe("verified");
});

test("a pipe in the place of an empty file is no whole copy", () => {
  const copy = join(scene.copies, copyOf(scene, oldManifest)!);
  expect(isUnpacked(oldManifest, copy)).toBe(true);
  fs.rmSync(join(copy, "empty.txt"));
  execFileSync("mkfifo", [join(copy, "empty.txt")]);
  expect(isUnpacked(oldManifest, copy)).toBe(false);
});
