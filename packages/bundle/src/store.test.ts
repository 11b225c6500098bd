import fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "./catalog-folder.fixture.ts";
import { envelopeBytes, parseEnvelope } from "./dsse.ts";
import { envelopePlace } from "./pack.ts";
import { digestOf, manifestOf, optionsFor } from "./signed-bundle.fixture.ts";
import { openStore } from "./store.ts";
import { StoreError } from "./store-error.ts";
import {
  bundleOf,
  channel,
  copyOf,
  goLive,
  headOne,
  liveOne,
  newFiles,
  newManifest,
  oldFiles,
  oldManifest,
  openScene,
  root,
  type Scene,
} from "./store-scene.fixture.ts";
import { isUnpacked, linkedName, removeCopies, switchLink, unpackBundle } from "./unpack.ts";

let folder: string;
let scene: Scene;
beforeEach(() => {
  folder = temporaryFolder();
  scene = openScene(folder);
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const { payload, ...options } = optionsFor(root, oldFiles);
const digest = digestOf(oldManifest);

function stored(): string {
  const found = scene.store.get(digest, options);
  return found.kind === "refused" ? found.reason : found.kind;
}

function fileOf(of: string = digest): string {
  return join(folder, "bundles", "sha256", `${of.slice(-64)}.bundle`);
}

function storeCode(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error.code;
    throw error;
  }
  return "none";
}

describe("content", () => {
  test("comes back verified, file by file, and nothing is there before", () => {
    expect(stored()).toBe("missing");
    expect(scene.store.manifest(digest)).toBeNull();
    scene.store.put(bundleOf(oldManifest, oldFiles), payload);
    expect(stored()).toBe("verified");
    expect(scene.store.manifest(digest)).toEqual(oldManifest);
    const texts = scene.store.withPayload({ manifest: oldManifest, digest }, (read) =>
      oldManifest.components.map((component) => Buffer.from(read?.(component) ?? []).toString()),
    );
    expect(texts).toEqual(oldManifest.components.map(({ path }) => oldFiles[path]));
  });

  test("comes back however large it is, and whatever of it is large", () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`prompts/${at}.md`, `${at}\n`]));
    for (const files of [{ "a.md": "a", "b.md": "b".repeat(300_000), "c.md": "c" }, many]) {
      const manifest = manifestOf(files);
      const { payload: content, ...rest } = optionsFor(root, files);
      scene.store.put(bundleOf(manifest, files), content);
      expect(scene.store.get(digestOf(manifest), rest).kind).toBe("verified");
      const place = fileOf(digestOf(manifest));
      const whole = fs.readFileSync(place);
      fs.writeFileSync(place, whole.with(whole.length - 2, whole.at(-2)! ^ 1));
      expect(scene.store.get(digestOf(manifest), rest)).toMatchObject({ kind: "refused", reason: "payloadWrong" });
      fs.writeFileSync(place, whole.subarray(0, -1));
      expect(scene.store.get(digestOf(manifest), rest)).toMatchObject({ kind: "refused", reason: "payloadMissing" });
    }
  });

  test("only its owner can read the files", () => {
    goLive(scene, oldManifest, oldFiles);
    for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const { mode } = fs.lstatSync(join(folder, name));
      if ((mode & fs.constants.S_IFMT) !== fs.constants.S_IFLNK && name !== "instance")
        expect(`${name} ${mode & 0o077}`).toBe(`${name} 0`);
    }
  });

  test("with a bit flipped anywhere it never comes back as verified", () => {
    scene.store.put(bundleOf(oldManifest, oldFiles), payload);
    const file = fileOf();
    const whole = fs.readFileSync(file);
    const { begin, end } = envelopePlace(whole)!;
    for (let at = 0; at < whole.length; at += at < begin || at >= end ? 1 : 41) {
      fs.writeFileSync(file, whole.with(at, whole[at]! ^ 4));
      const state = stored();
      // A bit of Base64's padding or of a key's hint says nothing about the content.
      if (at >= end) expect(state).toBe("payloadWrong");
      else expect(["verified", "envelopeInvalid", "wrongKey", "manifestInvalid"]).toContain(state);
      if (at < begin) expect(state).toBe("envelopeInvalid");
    }
    fs.writeFileSync(file, whole);
    expect(stored()).toBe("verified");
  });

  test("T50: missing, emptied and cut files are told as that, and storing again repairs them", () => {
    const bundle = bundleOf(oldManifest, oldFiles);
    const endOf = (file: string): number => envelopePlace(fs.readFileSync(file))!.end;
    const damage: readonly (readonly [(file: string) => void, string])[] = [
      [(file) => fs.truncateSync(file, endOf(file)), "payloadMissing"],
      [(file) => fs.truncateSync(file, endOf(file) + 5), "payloadMissing"],
      [(file) => fs.rmSync(file), "missing"],
      [(file) => fs.truncateSync(file), "envelopeInvalid"],
      [(file) => fs.truncateSync(file, 10), "envelopeInvalid"],
      [(file) => fs.truncateSync(file, 100), "envelopeInvalid"],
      [(file) => fs.writeFileSync(file, bundle.envelope), "payloadMissing"],
      [(file) => fs.writeFileSync(file, "moorage.dev/bundle-file/v1 99999999\n"), "envelopeInvalid"],
      [(file) => (fs.truncateSync(file), fs.truncateSync(file, 2 ** 31)), "envelopeInvalid"],
    ];
    for (const [harm, state] of damage) {
      scene.store.put(bundle, payload);
      harm(fileOf());
      expect(stored()).toBe(state);
    }
    scene.store.put(bundle, payload);
    expect(stored()).toBe("verified");
  });

  test("a bundle under another's digest is not taken for it", () => {
    scene.store.put(bundleOf(oldManifest, oldFiles), payload);
    scene.store.put(bundleOf(newManifest, newFiles), optionsFor(root, newFiles).payload);
    fs.copyFileSync(fileOf(digestOf(newManifest)), fileOf());
    expect(storeCode(() => scene.store.get(digest, options))).toBe("storeCorrupt");
  });

  test("what is not what was signed is not stored", () => {
    const bundle = bundleOf(oldManifest, oldFiles);
    for (const bad of [() => null, () => Buffer.from("other")])
      expect(storeCode(() => scene.store.put(bundle, bad))).toBe("storeCorrupt");
    expect(fs.readdirSync(join(folder, "bundles/sha256"))).toEqual([]);
  });

  test("a signature that was added later takes the place of the envelope", () => {
    const bundle = bundleOf(oldManifest, oldFiles);
    scene.store.put(bundle, payload);
    const envelope = envelopeBytes(parseEnvelope(Buffer.concat([bundle.envelope, Buffer.from("\n")])));
    scene.store.put({ ...bundle, envelope: Buffer.concat([envelope, Buffer.from(" ")]) }, payload);
    const file = fs.readFileSync(fileOf());
    expect(file[envelopePlace(file)!.end - 1]).toBe(32);
    expect(stored()).toBe("verified");
  });

  test("no digest leads out of the store", () => {
    for (const bad of ["../../x", "sha256:../x", "", `sha256:${"A".repeat(64)}`])
      expect(storeCode(() => scene.store.get(bad, options))).toBe("storeFault");
  });

  test("what a killed process left is swept by the first put of another, once it is old", () => {
    const before = openStore(join(folder, "bundles"), { now: Date.now });
    before.put(bundleOf(oldManifest, oldFiles), payload);
    const place = join(folder, "bundles/sha256");
    const [young, old] = [".x.0123456789abcdef.new", ".y.0123456789abcdef.new"] as const;
    for (const name of [young, old]) fs.writeFileSync(join(place, name), "");
    fs.utimesSync(join(place, old), 1, 1);
    scene.store.put(bundleOf(newManifest, newFiles), optionsFor(root, newFiles).payload);
    expect(fs.readdirSync(place).filter((name) => name.endsWith(".new"))).toEqual([young]);
  });
});

describe("heads", () => {
  test("go from parent to child, one sequence at a time, and saying it twice changes nothing", () => {
    expect(scene.store.head(channel)).toBeNull();
    expect(goLive(scene, oldManifest, oldFiles).kind).toBe("published");
    expect(goLive(scene, oldManifest, oldFiles).kind).toBe("already");
    expect(goLive(scene, newManifest, newFiles).kind).toBe("published");
    expect(scene.store.head(channel)).toEqual({ channel, sequence: 2, digest: digestOf(newManifest) });
  });

  test("an older one, one without its parent and one of another line do not get there", () => {
    expect(goLive(scene, newManifest, newFiles)).toEqual({ kind: "worldMoved", head: null });
    goLive(scene, oldManifest, oldFiles);
    goLive(scene, newManifest, newFiles);
    for (const manifest of [
      oldManifest,
      manifestOf(oldFiles, { sequence: 2, parent: digest }),
      manifestOf(oldFiles, { sequence: 3, parent: digest }),
    ])
      expect(goLive(scene, manifest, oldFiles).kind).toBe("worldMoved");
    const gap = manifestOf(oldFiles, { sequence: 4, parent: digestOf(newManifest) });
    expect(goLive(scene, gap, oldFiles)).toMatchObject({ kind: "refused", fault: "sequence", head: { sequence: 2 } });
    expect(headOne(scene)).toBe("new");
  });

  test("each channel has its own", () => {
    goLive(scene, oldManifest, oldFiles);
    expect(scene.store.head({ fleet: "writers", catalog: "other" })).toBeNull();
    expect(scene.store.head({ fleet: "other", catalog: "main" })).toBeNull();
  });

  test("what is not stored is not published", () => {
    expect(storeCode(() => scene.store.publish(bundleOf(oldManifest, oldFiles)))).toBe("storeFault");
  });

  test("T27, T81: a damaged head is an error, and never the head before it", () => {
    goLive(scene, oldManifest, oldFiles);
    goLive(scene, newManifest, newFiles);
    expect(scene.store.floor(channel)).toEqual({ sequence: 2, digest: digestOf(newManifest), rootVersion: 1 });
    const entry = join(folder, "bundles/channels/writers/main/0000000002");
    const target = fs.readlinkSync(entry);
    for (const bad of ["", "x", `${target}x`, target.replace("sha256", "sha512"), `/${target}`]) {
      fs.rmSync(entry);
      if (bad === "") fs.writeFileSync(entry, "");
      else fs.symlinkSync(bad, entry);
      expect(storeCode(() => scene.store.head(channel))).toBe("storeCorrupt");
      expect(storeCode(() => scene.store.floor(channel))).toBe("storeCorrupt");
      expect(storeCode(() => goLive(scene, newManifest, newFiles))).toBe("storeCorrupt");
    }
  });

  test("a floor is that of the very bundle: lost, damaged or another's it is an error", () => {
    expect(scene.store.floor(channel)).toEqual({ sequence: 0, digest: null, rootVersion: 0 });
    goLive(scene, oldManifest, oldFiles);
    goLive(scene, newManifest, newFiles);
    const line = join(folder, "bundles/channels/writers/main");
    fs.renameSync(join(line, "0000000002"), join(line, "0000000003"));
    expect(storeCode(() => scene.store.floor(channel))).toBe("storeCorrupt");
    fs.renameSync(join(line, "0000000003"), join(line, "0000000002"));
    const place = fileOf(digestOf(newManifest));
    fs.copyFileSync(fileOf(), place);
    expect(storeCode(() => scene.store.floor(channel))).toBe("storeCorrupt");
    fs.truncateSync(place);
    expect(storeCode(() => scene.store.floor(channel))).toBe("storeCorrupt");
    fs.rmSync(place);
    expect(storeCode(() => scene.store.floor(channel))).toBe("storeCorrupt");
  });
});

describe("copies", () => {
  test("T39: what is damaged in the store never reaches the live path, also not after a restart", () => {
    goLive(scene, oldManifest, oldFiles);
    const bundle = bundleOf(newManifest, newFiles);
    scene.store.put(bundle, optionsFor(root, newFiles).payload);
    const file = fileOf(bundle.digest);
    const whole = fs.readFileSync(file);
    const { end } = envelopePlace(whole)!;
    for (const bytes of [
      whole.with(end + 9, 0),
      whole.subarray(0, end + 50),
      whole.subarray(0, end),
      Buffer.alloc(0),
    ]) {
      fs.writeFileSync(file, bytes);
      for (const attempt of ["first", "after a restart"]) {
        const again = openScene(folder);
        const code = storeCode(() =>
          again.store.withPayload(bundle, (read) => unpackBundle(bundle, read ?? (() => null), again.copies)),
        );
        expect(`${attempt} ${code}`).toBe(`${attempt} storeCorrupt`);
        expect(copyOf(again, newManifest)).toBeNull();
        expect(liveOne(again)).toBe("old");
        expect(fs.readdirSync(again.copies)).toHaveLength(2);
      }
    }
  });

  test("a copy that is whole is taken again; a damaged one is left, and a new one made beside it", () => {
    goLive(scene, oldManifest, oldFiles);
    const name = copyOf(scene, oldManifest);
    goLive(scene, oldManifest, oldFiles);
    expect(linkedName(scene.link)).toBe(name);
    const place = join(scene.copies, name!);
    const harm: readonly (() => void)[] = [
      () => fs.writeFileSync(join(place, "prompts/a.md"), "OLD\n"),
      () => fs.rmSync(join(place, "empty.txt")),
      () => fs.writeFileSync(join(place, "extra.md"), ""),
      () => {
        fs.rmSync(join(place, "empty.txt"));
        fs.symlinkSync("/dev/null", join(place, "empty.txt"));
      },
      () => fs.rmSync(place, { recursive: true }),
    ];
    for (const damage of harm) {
      fs.rmSync(place, { recursive: true, force: true });
      fs.cpSync(join(scene.copies, copyOf(scene, oldManifest) ?? unpackAgain()), place, { recursive: true });
      for (const other of fs.readdirSync(scene.copies))
        if (other !== name && other !== "current") fs.rmSync(join(scene.copies, other), { recursive: true });
      expect(isUnpacked(oldManifest, place)).toBe(true);
      damage();
      expect(isUnpacked(oldManifest, place)).toBe(false);
      goLive(scene, oldManifest, oldFiles);
      expect(linkedName(scene.link)).not.toBe(name);
      expect(liveOne(scene)).toBe("old");
    }
  });

  function unpackAgain(): string {
    return unpackBundle(bundleOf(oldManifest, oldFiles), payload, scene.copies);
  }

  test("T42, T49: back and forth between two ends where it should, without unpacking anew", () => {
    goLive(scene, oldManifest, oldFiles);
    goLive(scene, newManifest, newFiles);
    const both = fs.readdirSync(scene.copies).sort();
    for (const [manifest, which] of [
      [oldManifest, "old"],
      [newManifest, "new"],
      [oldManifest, "old"],
    ] as const) {
      switchLink(scene.link, copyOf(scene, manifest)!);
      expect(liveOne(openScene(folder))).toBe(which);
    }
    expect(fs.readdirSync(scene.copies).sort()).toEqual(both);
  });

  test("old copies are removed, and those that are kept stay", () => {
    goLive(scene, oldManifest, oldFiles);
    goLive(scene, newManifest, newFiles);
    fs.mkdirSync(join(scene.copies, "workspace"));
    removeCopies(scene.copies, new Set([linkedName(scene.link)!]));
    expect(new Set(fs.readdirSync(scene.copies))).toEqual(new Set([linkedName(scene.link), "current", "workspace"]));
    expect(liveOne(scene)).toBe("new");
  });

  test("a link that leads elsewhere is none of ours", () => {
    expect(linkedName(scene.link)).toBeNull();
    for (const target of ["/etc", "../x", "a/b", "."]) {
      fs.rmSync(scene.link, { force: true });
      fs.symlinkSync(target, scene.link);
      expect(linkedName(scene.link)).toBeNull();
    }
  });

  test("a folder in the place of the link is told", () => {
    fs.mkdirSync(join(scene.link, "x"), { recursive: true });
    expect(storeCode(() => goLive(scene, oldManifest, oldFiles))).toBe("storeFault");
    expect(fs.readdirSync(scene.copies).filter((name) => name.endsWith(".new"))).toEqual([]);
  });
});
