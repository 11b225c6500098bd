/** Copies of catalogs beside the live one, proved by their content: also where the store that they came from is damaged or gone. */
import { hash } from "node:crypto";
import fs from "node:fs";
import {
  type BundleStore,
  catalogHashOf,
  type Disk,
  guarded,
  type HashedFile,
  linkedName,
  namesIn,
  removeCopies,
  StoreError,
  switchLink,
  unpackAnew,
} from "@moorage/bundle/delivery";
import type { LifeBundle } from "@moorage/core";
import type { CatalogCopyInUse } from "../live-catalog.ts";
import { deliveryPaths } from "./delivery-files.ts";

/** Copies that no turn has are kept as long as they are among the last so many. */
const kept = 16;

export class Copies {
  readonly link: string;
  readonly #folder: string;
  readonly #store: BundleStore;
  readonly #disk: Disk;
  /** Of each content that was proved here, its copy. */
  readonly #names = new Map<string, string>();
  #live: CatalogCopyInUse | null = null;
  #earlier: string[] = [];

  constructor(folder: string, store: BundleStore, disk: Disk) {
    this.link = deliveryPaths(folder).live;
    this.#folder = folder;
    this.#store = store;
    this.#disk = disk;
  }

  get live(): CatalogCopyInUse | null {
    return this.#live;
  }

  directoryOf(catalogHash: string): string {
    return `${this.#folder}/${this.#names.get(catalogHash) ?? ""}`;
  }

  /** The name of a whole copy: one that is there, or one that is unpacked. Throws a `StoreError`. */
  whole(bundle: LifeBundle): string {
    const { catalogHash, digest } = bundle;
    // Where it was found the last time it is nearly always: the others need not be looked through.
    const before = this.#names.get(catalogHash);
    if (before !== undefined && hashOfCopy(`${this.#folder}/${before}`) === catalogHash) return before;
    const name = provenCopy(catalogHash, this.#folder) ?? this.#unpack(digest);
    this.#names.set(catalogHash, name);
    return name;
  }

  /** A whole copy is live when it returns. Throws a `StoreError`; then what was live still is. */
  goLive(bundle: LifeBundle): CatalogCopyInUse {
    const name = this.whole(bundle);
    this.#lead(name);
    const live = { directory: `${this.#folder}/${name}`, hash: bundle.catalogHash };
    const before = this.#live?.directory ?? live.directory;
    if (before !== live.directory) this.#earlier = [...this.#earlier.filter((one) => one !== before), before];
    this.#live = live;
    return live;
  }

  /** Removes copies that were live long ago and that no turn in flight has. Throws a `StoreError`. */
  forget(held: ReadonlySet<string>): void {
    if (this.#earlier.length <= kept) return;
    const mayGo = this.#earlier.filter((directory) => !held.has(directory) && directory !== this.#live?.directory);
    for (const directory of mayGo.slice(0, Math.max(0, this.#earlier.length - kept))) {
      guarded("remove old copies", () => this.#disk.remove(directory));
      this.#earlier = this.#earlier.filter((one) => one !== directory);
    }
  }

  /** Leaves the copies of these contents alone. Only while nothing reads them. Throws a `StoreError`. */
  keep(catalogHashes: readonly string[]): void {
    this.#earlier = [];
    removeCopies(this.#folder, new Set(namesWith(catalogHashes, this.#folder)), this.#disk);
    // What a killed process left of a link, a life or an answer.
    for (const name of copiesIn(this.#folder))
      if (/^\.(?:life|live|answer\.json)\.[0-9a-f]{16}\.new$/.test(name)) this.#disk.remove(`${this.#folder}/${name}`);
  }

  /** Without a sync: where the power is lost, a start proves the copy and makes the link anew, by the life on record. */
  #lead(name: string): void {
    if (linkedName(this.link) !== name) switchLink(this.link, name, { ...this.#disk, syncFolder: () => undefined });
  }

  #unpack(digest: string): string {
    const manifest = this.#store.manifest(digest);
    if (manifest === null)
      throw new StoreError("storeCorrupt", `the bundle ${digest} is neither unpacked here nor whole in the store`);
    return this.#store.withPayload({ manifest, digest }, (payload) =>
      unpackAnew(manifest, payload ?? (() => null), this.#folder, this.#disk),
    );
  }
}

/** A copy below the folder whose content has this hash; null when there is none. */
export function provenCopy(catalogHash: string, folder: string): string | null {
  return namesWith([catalogHash], folder).find((name) => hashOfCopy(`${folder}/${name}`) === catalogHash) ?? null;
}

function namesWith(catalogHashes: readonly string[], folder: string): string[] {
  const starts = catalogHashes.map((catalogHash) => `${catalogHash.slice(-64)}.`);
  return copiesIn(folder).filter((name) => starts.some((start) => name.startsWith(start)));
}

function copiesIn(folder: string): string[] {
  return guarded("look at the copies", () => namesIn(folder));
}

/** Null for what is no copy of any catalog: something else than files and folders is in it, or it cannot be read. */
function hashOfCopy(root: string): string | null {
  const files: HashedFile[] = [];
  const walk = (below: string): boolean =>
    fs.readdirSync(`${root}/${below}`, { withFileTypes: true }).every((entry) => {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) return walk(path);
      if (!entry.isFile()) return false;
      const bytes = fs.readFileSync(`${root}/${path}`);
      // Some file systems give names back in another normal form.
      files.push({ path: path.normalize("NFC"), size: bytes.length, sha256: hash("sha256", bytes, "hex") });
      return true;
    });
  try {
    return fs.lstatSync(root).isDirectory() && walk("") ? catalogHashOf(files) : null;
  } catch {
    return null;
  }
}
