/** Walks the directory of a catalog: which files it holds, under which normalised paths, and what must not be there. */
import fs from "node:fs";
import { join, sep } from "node:path";
import { BundleError, type Flaw, fileFlaw, shown } from "./bundle-error.ts";
import { bothShown, foldName, nameMistake, pathLimits } from "./catalog-path.ts";
import type { IgnoreRules } from "./ignore-file.ts";
import { codeOf } from "./node-error.ts";

/** What a catalog may hold at most; more is a mistake, and is told before anything is read. */
export interface CatalogLimits {
  readonly files: number;
  /** Files, folders and what is ignored, together. */
  readonly entries: number;
  readonly bytes: number;
}

export const catalogLimits: CatalogLimits = { files: 10_000, entries: 20_000, bytes: 64 * 1024 * 1024 };

export interface FoundFile {
  /** In the catalog. */
  readonly path: string;
  /** On this machine, without links. */
  readonly real: string;
  /** Bytes, at the time of looking. */
  readonly size: number;
}

export interface IgnoredPath {
  readonly path: string;
  readonly rule: string;
}

export interface Walk {
  readonly files: readonly FoundFile[];
  readonly ignored: readonly IgnoredPath[];
}

interface Found {
  readonly real: string;
  readonly stat: fs.Stats;
}

/** Its own real path is the root: it may be reached through a link. Flaws are added; beyond a limit a `BundleError` is thrown. */
export function walkCatalog(root: string, ignore: IgnoreRules, limits: CatalogLimits, flaws: Flaw[]): Walk {
  const walker = new Walker(root, ignore, limits, flaws);
  walker.folder(root, "", []);
  return { files: walker.files, ignored: walker.ignored };
}

/** Lives for one walk. */
class Walker {
  readonly files: FoundFile[] = [];
  readonly ignored: IgnoredPath[] = [];
  readonly #root: string;
  readonly #ignore: IgnoreRules;
  readonly #limits: CatalogLimits;
  readonly #flaws: Flaw[];
  #entries = 0;
  #bytes = 0;

  constructor(root: string, ignore: IgnoreRules, limits: CatalogLimits, flaws: Flaw[]) {
    this.#root = root;
    this.#ignore = ignore;
    this.#limits = limits;
    this.#flaws = flaws;
  }

  /** `above` are the real folders that lead here. */
  folder(real: string, path: string, above: readonly string[]): void {
    // A file in it would have one part more.
    if (above.length >= pathLimits.depth)
      throw this.#limit("tooDeep", path, `is deeper than ${pathLimits.depth} folders`);
    const spellings = new Map<string, string>();
    for (const name of this.#names(real, path)) {
      const below = path === "" ? name.normalize("NFC") : `${path}/${name.normalize("NFC")}`;
      const found = this.#look(join(real, name), below);
      const rule = this.#ignore.match(below, "stat" in found && found.stat.isDirectory());
      if (rule !== null) {
        this.ignored.push({ path: below, rule });
        continue;
      }
      if (!("stat" in found)) {
        this.#flaws.push(found);
        continue;
      }
      const folded = foldName(name);
      const other = spellings.get(folded);
      spellings.set(folded, name);
      if (other !== undefined) {
        this.#flaw(
          "pathCollision",
          below,
          `${bothShown(other, name)} are one name on some systems`,
          "rename one of them",
        );
        continue;
      }
      if (found.stat.isDirectory()) {
        const circle = [...above, real].includes(found.real);
        if (circle) this.#flaw("linkCycle", below, "leads back to a folder that holds it", "remove the link");
        else this.folder(found.real, below, [...above, real]);
      } else this.#file(below, found);
    }
  }

  /** One by one: a folder of a million entries is not held in memory. Sorted, so that flaws come in one order. */
  #names(real: string, path: string): string[] {
    const names: string[] = [];
    const folder = this.#opened(real, path);
    if (folder === null) return names;
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        this.#entries += 1;
        if (this.#entries > this.#limits.entries)
          throw this.#limit("tooManyEntries", path, `the catalog has more than ${this.#limits.entries} entries`);
        const bytes = Buffer.from(entry.name, "latin1");
        const name = bytes.toString("utf8");
        const mistake = Buffer.from(name, "utf8").equals(bytes) ? nameMistake(name.normalize("NFC")) : "is not UTF-8";
        if (mistake === null) names.push(name);
        else
          this.#flaw(
            "pathInvalid",
            path === "" ? "." : path,
            `the name ${shown(name)} in it ${mistake}`,
            "rename the file",
          );
      }
    } finally {
      folder.closeSync();
    }
    return names.sort();
  }

  #opened(real: string, path: string): fs.Dir | null {
    try {
      // Bytes that are no UTF-8 would come out as replacement characters, and the file would not be found.
      return fs.opendirSync(real, { encoding: "latin1", bufferSize: 256 });
    } catch (error) {
      const code = codeOf(error) ?? String(error);
      this.#flaw("unreadable", path === "" ? "." : path, `cannot be listed (${code})`, "see to its permissions");
      return null;
    }
  }

  #look(place: string, path: string): Found | Flaw {
    try {
      const direct = fs.lstatSync(place);
      if (!direct.isSymbolicLink()) return { real: place, stat: direct };
      const real = fs.realpathSync.native(place);
      if (real === this.#root || real.startsWith(this.#root + sep)) return { real, stat: fs.statSync(real) };
      return fileFlaw("linkOutside", path, "is a link that leads out of the catalog", "put a copy there instead");
    } catch (error) {
      const code = codeOf(error) ?? "";
      if (code === "ENOENT") return fileFlaw("linkBroken", path, "is a link that leads nowhere", "remove it");
      if (code === "ELOOP") return fileFlaw("linkCycle", path, "is a link that leads to itself", "remove it");
      return fileFlaw("unreadable", path, `cannot be looked at (${code})`, "see to its permissions");
    }
  }

  #file(path: string, { real, stat }: Found): void {
    if (!stat.isFile()) {
      const message = "is neither a file nor a folder (a socket, a pipe or a device)";
      this.#flaw("specialFile", path, message, "remove it, or name it in .moorageignore");
      return;
    }
    if (Buffer.byteLength(path) > pathLimits.path)
      this.#flaw("pathInvalid", path, `has a path longer than ${pathLimits.path} bytes`, "shorten it");
    this.#bytes += stat.size;
    if (this.#bytes > this.#limits.bytes)
      throw this.#limit("tooManyBytes", path, `makes the catalog larger than ${this.#limits.bytes} bytes`);
    if (this.files.length >= this.#limits.files)
      throw this.#limit("tooManyFiles", path, `the catalog has more than ${this.#limits.files} files`);
    this.files.push({ path, real, size: stat.size });
  }

  #limit(code: string, path: string, message: string): BundleError {
    const hint = "leave out what is no catalog in .moorageignore; large data belongs elsewhere";
    return new BundleError("the catalog is too large", [fileFlaw(code, path === "" ? "." : path, message, hint)]);
  }

  #flaw(code: string, file: string, message: string, hint: string): void {
    this.#flaws.push(fileFlaw(code, file, message, hint));
  }
}
