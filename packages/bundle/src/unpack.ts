/** A bundle as a folder of files: unpacked beside the live one, proved, and made live by one rename of a link. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { basename, dirname } from "node:path";
import { hexOf } from "./content-name.ts";
import { type Disk, namesIn, nodeDisk, unfinished } from "./disk.ts";
import { FileReader } from "./file-content.ts";
import type { Manifest } from "./manifest.ts";
import { codeOf } from "./node-error.ts";
import { isContent } from "./pack.ts";
import { guarded, StoreError } from "./store-error.ts";
import type { PayloadReader, VerifiedBundle } from "./verify-bundle.ts";

type Content = Pick<Manifest, "components" | "catalogHash">;

/**
 * Unpacks a verified bundle below a folder and gives the name of what it became; a whole copy that is there already is
 * taken. Throws a `StoreError`.
 */
export function unpackBundle(
  { manifest }: Pick<VerifiedBundle, "manifest">,
  payload: PayloadReader,
  folder: string,
  disk: Disk = nodeDisk,
): string {
  const there = guarded("unpack the bundle", () => wholeCopy(manifest, folder));
  return there ?? unpackAnew(manifest, payload, folder, disk);
}

/**
 * As `unpackBundle`, for who has found no whole copy. Files are 0400 and folders 0700, so that their owner can remove them.
 * A damaged copy is left alone: something may read it, and nothing refers to it once the link has moved.
 */
export function unpackAnew(manifest: Content, payload: PayloadReader, folder: string, disk: Disk = nodeDisk): string {
  return guarded("unpack the bundle", () => {
    const name = `${hexOf(manifest.catalogHash)}.${randomBytes(8).toString("hex")}`;
    const fresh = unfinished(`${folder}/${name}`);
    try {
      writeFiles(manifest, payload, fresh, disk);
      // What was read from the disk counts, not what was meant to be written.
      if (!isUnpacked(manifest, fresh)) throw new StoreError("storeCorrupt", "the disk did not keep what was unpacked");
      disk.rename(fresh, `${folder}/${name}`);
    } catch (error) {
      disk.remove(fresh);
      throw error;
    }
    return name;
  });
}

/** A copy of the content below the folder that is whole, by its name; null when there is none. */
export function wholeCopy(manifest: Content, folder: string): string | null {
  const prefix = `${hexOf(manifest.catalogHash)}.`;
  const names = namesIn(folder).filter((name) => name.startsWith(prefix));
  return names.find((name) => isUnpacked(manifest, `${folder}/${name}`)) ?? null;
}

/** Whether a folder holds exactly the components, each as it was signed, and nothing else. */
export function isUnpacked({ components }: Content, folder: string): boolean {
  const expected = new Map(components.map((component) => [component.path, component]));
  const reader = new FileReader();
  const check = (below: string): boolean =>
    fs.readdirSync(`${folder}/${below}`, { withFileTypes: true }).every((entry) => {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) return check(path);
      // Some file systems give names back in another normal form.
      const component = expected.get(path.normalize("NFC"));
      if (component === undefined || !entry.isFile()) return false;
      expected.delete(component.path);
      const reading = reader.read(`${folder}/${path}`, component.size, component.size);
      return reading.kind === "read" && isContent(component, reading.bytes);
    });
  return isRealFolder(folder) && check("") && expected.size === 0;
}

/**
 * Makes a link lead to a name beside it, in one step that nobody sees half of. The one sync holds what was unpacked there
 * before as well. Throws a `StoreError`.
 */
export function switchLink(link: string, name: string, disk: Disk = nodeDisk): void {
  guarded("switch to the bundle", () => {
    const fresh = unfinished(link);
    disk.symbolicLink(name, fresh);
    try {
      disk.rename(fresh, link);
    } catch (error) {
      disk.remove(fresh);
      throw error;
    }
    disk.syncFolder(dirname(link));
  });
}

/** The name that a link leads to; null when there is none, or when it leads to something that is no name beside it. */
export function linkedName(link: string): string | null {
  try {
    const target = fs.readlinkSync(link);
    return target === basename(target) && target !== ".." && target !== "." ? target : null;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "EINVAL" || code === "ENOTDIR") return null;
    throw error;
  }
}

/** Removes copies, whole or not, that are not kept. For the one who owns the folder. Throws a `StoreError`. */
export function removeCopies(folder: string, kept: ReadonlySet<string>, disk: Disk = nodeDisk): void {
  guarded("remove old copies", () => {
    for (const name of namesIn(folder))
      if (/^\.?[0-9a-f]{64}\.[0-9a-f]{16}(?:\.|$)/.test(name) && !kept.has(name)) disk.remove(`${folder}/${name}`);
  });
}

/** Not synced one by one: who starts from a copy proves it first, and unpacks it again where power was lost meanwhile. */
function writeFiles({ components }: Content, payload: PayloadReader, folder: string, disk: Disk): void {
  disk.makeFolder(folder);
  const made = new Set<string>(["."]);
  for (const component of components) {
    const below = dirname(component.path);
    if (!made.has(below)) disk.makeFolder(`${folder}/${below}`);
    made.add(below);
    const bytes = payload(component);
    if (bytes === null) throw new StoreError("storeCorrupt", `${component.path} of the bundle is not in the store`);
    const file = disk.create(`${folder}/${component.path}`, 0o400);
    try {
      disk.write(file, bytes);
    } finally {
      disk.close(file);
    }
  }
}

function isRealFolder(folder: string): boolean {
  return fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}
