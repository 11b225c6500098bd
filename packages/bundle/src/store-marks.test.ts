import fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "./catalog-folder.fixture.ts";
import type { PublishedHead } from "./channel-heads.ts";
import type { Disk } from "./disk.ts";
import { digestOf, type Files, manifestOf } from "./signed-bundle.fixture.ts";
import { StoreError } from "./store-error.ts";
import { channel, goLive, openScene, type Scene, troubledDisk } from "./store-scene.fixture.ts";

let folder: string;
let scene: Scene;
let heads: PublishedHead[];
beforeEach(() => {
  folder = temporaryFolder();
  scene = openScene(folder);
  heads = [];
  let parent: string | null = null;
  for (let sequence = 1; sequence <= 4; sequence += 1) {
    const files: Files = { "a.md": `${sequence}\n` };
    const manifest = manifestOf(files, { sequence, parent });
    goLive(scene, manifest, files);
    parent = digestOf(manifest);
    heads.push({ channel, sequence, digest: parent });
  }
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function head(sequence: number): PublishedHead {
  const found = heads[sequence - 1];
  if (found === undefined) throw new Error(`there is no ${sequence}`);
  return found;
}

const raising = { assigned: raiseAssigned, confirmed: raiseConfirmed } as const;
type Mark = keyof typeof raising;
const marks = ["assigned", "confirmed"] as const;

function raiseAssigned({ store }: Scene, one: PublishedHead): PublishedHead {
  return store.assign(channel, one.digest);
}

function raiseConfirmed({ store }: Scene, one: PublishedHead): PublishedHead {
  return store.confirm(one);
}

function placeOf(mark: Mark): string {
  return join(folder, "bundles/channels/writers/main", mark);
}

function failure(work: () => unknown): StoreError {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error("it went well");
}

test("the history is all that was published, the newest first", () => {
  expect(scene.store.history(channel)).toEqual([head(4), head(3), head(2), head(1)]);
  expect(scene.store.history({ fleet: "writers", catalog: "other" })).toEqual([]);
  const entry = join(folder, "bundles/channels/writers/main/0000000002");
  fs.rmSync(entry);
  fs.symlinkSync("../0000000001", entry);
  expect(failure(() => scene.store.history(channel)).code).toBe("storeCorrupt");
});

describe.each(marks)("what is %s", (mark) => {
  const raise = raising[mark];

  test("is nothing, then what was said, and publishing does not change it", () => {
    expect(scene.store[mark](channel)).toBeNull();
    expect(raise(scene, head(2))).toEqual(head(2));
    expect(scene.store[mark](channel)).toEqual(head(2));
    expect(scene.store.head(channel)).toEqual(head(4));
    expect(scene.store[mark]({ fleet: "other", catalog: "main" })).toBeNull();
  });

  test("only ever rises, and the lower links are swept", () => {
    for (const sequence of [1, 3, 2, 3]) raise(scene, head(sequence));
    expect(raise(scene, head(1))).toEqual(head(3));
    expect(scene.store[mark](channel)).toEqual(head(3));
    expect(fs.readdirSync(placeOf(mark))).toEqual(["0000000003"]);
  });

  test("of two at once the higher one stays, whoever comes last", () => {
    for (const [first, second] of [
      [2, 3],
      [3, 2],
    ] as const) {
      fs.rmSync(placeOf(mark), { recursive: true, force: true });
      const between = troubledDisk((step) => {
        if (step === "symbolicLink") raise(scene, head(second));
      });
      expect(raise(openScene(folder, between), head(first))).toEqual(head(3));
      expect(scene.store[mark](channel)).toEqual(head(3));
    }
  });

  test("is the old or the new one after a fault at any step, and the next call goes on", () => {
    const steps: (keyof Disk)[] = [];
    raise(scene, head(1));
    for (let at = 0; ; at += 1) {
      fs.rmSync(placeOf(mark), { recursive: true, force: true });
      raise(scene, head(1));
      let happened = false;
      const broken = troubledDisk((step, count) => {
        if (count !== at) return;
        happened = true;
        steps.push(step);
        throw Object.assign(new Error("disk"), { code: "EIO" });
      });
      try {
        raise(openScene(folder, broken), head(2));
      } catch (error) {
        expect(error).toBeInstanceOf(StoreError);
      }
      expect([1, 2]).toContain(scene.store[mark](channel)?.sequence);
      expect(raise(scene, head(2))).toEqual(head(2));
      if (!happened) break;
    }
    expect(steps).toEqual(["symbolicLink", "syncFolder"]);
  });

  test("is never damaged and passed over; a higher one is over it", () => {
    for (const damage of [
      (path: string) => fs.symlinkSync("../0000000002", path),
      (path: string) => fs.symlinkSync(`../../../sha256/${"a".repeat(64)}.bundle`, path),
      (path: string) => fs.writeFileSync(path, ""),
      (path: string) => fs.mkdirSync(path),
    ]) {
      fs.rmSync(placeOf(mark), { recursive: true, force: true });
      raise(scene, head(1));
      const entry = join(placeOf(mark), "0000000002");
      damage(entry);
      expect(failure(() => scene.store[mark](channel))).toMatchObject({
        code: "storeCorrupt",
        message: expect.stringContaining(entry) as string,
      });
      expect(failure(() => raise(scene, head(2))).code).toBe("storeCorrupt");
      expect(raise(scene, head(3))).toEqual(head(3));
      expect(fs.readdirSync(placeOf(mark))).toEqual(["0000000003"]);
    }
  });

  test("was published, under that very sequence", () => {
    expect(failure(() => raise(scene, { channel, sequence: 2, digest: `sha256:${"1".repeat(64)}` })).code).toBe(
      "storeFault",
    );
    expect(failure(() => raise(scene, { channel, sequence: 9, digest: `sha256:${"1".repeat(64)}` })).code).toBe(
      "storeFault",
    );
    expect(scene.store[mark](channel)).toBeNull();
  });
});
