// A store with one published bundle that is live, and the step to the next one; run as a program it dies in the middle of it.
import fs from "node:fs";
import { join } from "node:path";
import { readSigningKey, type SigningKey } from "@moorage/keys";
import type { Publication } from "./channel-heads.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import type { Manifest } from "./manifest.ts";
import { digestOf, type Files, manifestOf, optionsFor, rootOf, signed } from "./signed-bundle.fixture.ts";
import { type BundleStore, openStore } from "./store.ts";
import type { PinnedRoot } from "./trust-root.ts";
import { isUnpacked, linkedName, switchLink, unpackBundle, wholeCopy } from "./unpack.ts";
import { type VerifiedBundle, verifyBundle } from "./verify-bundle.ts";

export const channel = { fleet: "writers", catalog: "main" };

/** The same in every process: what is signed twice is the same bundle. */
export const key: SigningKey = readSigningKey("7".repeat(64));
export const root: PinnedRoot = rootOf([key]);

export const oldFiles: Files = { "prompts/a.md": "old\n", "prompts/deep/b.md": "old b\n", "empty.txt": "" };
export const newFiles: Files = { "prompts/a.md": "new\n", "prompts/c.md": "x".repeat(100_000) };

export const oldManifest: Manifest = manifestOf(oldFiles);
export const newManifest: Manifest = manifestOf(newFiles, { sequence: 2, parent: digestOf(oldManifest) });

export function bundleOf(manifest: Manifest, files: Files): VerifiedBundle {
  const verdict = verifyBundle(signed(manifest, key), optionsFor(root, files));
  if (verdict.kind === "refused") throw new Error(verdict.message);
  return verdict.bundle;
}

export interface Scene {
  readonly store: BundleStore;
  readonly folder: string;
  readonly disk: Disk;
  /** Where the copies lie, and the link that leads to the live one. */
  readonly copies: string;
  readonly link: string;
}

export function openScene(folder: string, disk: Disk = nodeDisk): Scene {
  const copies = join(folder, "instance");
  fs.mkdirSync(copies, { recursive: true });
  const store = openStore(join(folder, "bundles"), { now: () => Date.now(), disk });
  return { store, folder, disk, copies, link: join(copies, "current") };
}

/** Everything from a signed bundle to a live one. */
export function goLive({ store, disk, copies, link }: Scene, manifest: Manifest, files: Files): Publication {
  const bundle = bundleOf(manifest, files);
  store.put(bundle, optionsFor(root, files).payload);
  const publication = store.publish(bundle);
  const name = store.withPayload(bundle, (payload) => unpackBundle(bundle, payload ?? (() => null), copies, disk));
  switchLink(link, name, disk);
  return publication;
}

/** Which of the two is live, and that it is whole; throws for anything else. */
export function liveOne({ copies, link }: Scene): "old" | "new" {
  const name = linkedName(link);
  if (name === null) throw new Error("nothing is live");
  if (isUnpacked(oldManifest, join(copies, name))) return "old";
  if (isUnpacked(newManifest, join(copies, name))) return "new";
  throw new Error(`${name} is a mixture`);
}

/** That the head is one of the two, and that what it names is whole in the store. */
export function headOne({ store }: Scene): "old" | "new" {
  const head = store.head(channel);
  const files = head?.sequence === 2 ? newFiles : oldFiles;
  const { payload: _, ...options } = optionsFor(root, files);
  const stored = store.get(head?.digest ?? digestOf(oldManifest), options);
  if (stored.kind !== "verified") throw new Error(`the head is ${stored.kind}: ${stored.message}`);
  return head?.sequence === 2 ? "new" : "old";
}

/** No copy under its own name is anything but whole. */
export function onlyWholeCopies({ copies }: Scene): boolean {
  return fs
    .readdirSync(copies)
    .filter((name) => /^[0-9a-f]{64}\./.test(name))
    .every((name) => [oldManifest, newManifest].some((manifest) => isUnpacked(manifest, join(copies, name))));
}

export function copyOf({ copies }: Scene, manifest: Manifest): string | null {
  return wholeCopy(manifest, copies);
}

/** A disk on which something happens before each step; of a write, half of it was done already. */
export function troubledDisk(before: (step: keyof Disk, count: number) => void): Disk {
  let count = 0;
  const trouble = (step: keyof Disk): void => before(step, count++);
  return {
    makeFolder: (path) => (trouble("makeFolder"), nodeDisk.makeFolder(path)),
    create: (path, mode) => (trouble("create"), nodeDisk.create(path, mode)),
    write(file, bytes) {
      const half = bytes.length >> 1;
      nodeDisk.write(file, bytes.subarray(0, half));
      trouble("write");
      nodeDisk.write(file, bytes.subarray(half));
    },
    sync: (file) => (trouble("sync"), nodeDisk.sync(file)),
    close: (file) => (nodeDisk.close(file), trouble("close")),
    rename: (from, to) => (trouble("rename"), nodeDisk.rename(from, to)),
    symbolicLink: (target, path) => (trouble("symbolicLink"), nodeDisk.symbolicLink(target, path)),
    syncFolder: (path) => (trouble("syncFolder"), nodeDisk.syncFolder(path)),
    remove: nodeDisk.remove,
  };
}

if (process.argv[1] === import.meta.filename) {
  const [, , folder = "", mode = "", step = ""] = process.argv;
  if (mode === "die") {
    const disk = troubledDisk((_, count) => {
      if (count === Number(step)) process.kill(process.pid, "SIGKILL");
    });
    goLive(openScene(folder, disk), newManifest, newFiles);
  } else {
    // One of several that publish at once, each its own content on the same parent.
    const files = { "prompts/a.md": `of ${step}\n` };
    const bundle = bundleOf({ ...manifestOf(files), sequence: 2, parent: digestOf(oldManifest) }, files);
    const { store } = openScene(folder);
    store.put(bundle, optionsFor(root, files).payload);
    process.stdout.write(store.publish(bundle).kind);
  }
}
