/** From a directory to a catalog: collected, normalised, checked and hashed; what is hashed is what is handed on. */
import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { BundleError, type Flaw, fileFlaw, throwFlaws } from "./bundle-error.ts";
import { byPath, catalogHashOf } from "./catalog-hash.ts";
import { foldName } from "./catalog-path.ts";
import { type CatalogLimits, catalogLimits, type FoundFile, type IgnoredPath, walkCatalog } from "./collect.ts";
import { DocumentFault, type DocumentNode, faultFlaw } from "./document.ts";
import { FileReader } from "./file-content.ts";
import { ignoreFileName, ignoreRules } from "./ignore-file.ts";
import { type ComponentKind, type Effect, layoutFileName, layoutOf } from "./layout.ts";
import { codeOf } from "./node-error.ts";
import { plantedSecrets } from "./planted-secrets.ts";
import { strictData } from "./strict-data.ts";
import { isTextPath, normaliseText, utf8Text } from "./text-file.ts";

/** One file of a catalog, as it is shipped. */
export interface Component {
  readonly path: string;
  readonly kind: ComponentKind;
  readonly effect: Effect;
  /** Bytes. */
  readonly size: number;
  /** 64 hex digits. */
  readonly sha256: string;
}

export interface Catalog {
  readonly hash: string;
  /** Sorted by path, in UTF-16 code units. */
  readonly components: readonly Component[];
  /** What was left out, and by which line of the ignore file. */
  readonly ignored: readonly IgnoredPath[];
  /** Globs of `.moorageignore` and `catalog.yaml` that match nothing: likely mistakes. */
  readonly unmatched: readonly { readonly file: string; readonly glob: string }[];
}

export interface ReadCatalogOptions {
  readonly limits?: CatalogLimits;
  /** Gets the content of each file, sorted by path. The bytes hold until it returns. */
  readonly onFile?: (path: string, content: Uint8Array) => void;
}

/** Reads a whole catalog for shipping: strictly parsed, without planted secrets. Throws a `BundleError`. */
export function readCatalog(directory: string, options: ReadCatalogOptions = {}): Catalog {
  return new CatalogReader(directory, options, true).catalog();
}

/** The hash alone, without parsing and searching what is inside: has it been edited since? Throws a `BundleError`. */
export function hashCatalog(directory: string, limits: CatalogLimits = catalogLimits): string {
  return new CatalogReader(directory, { limits }, false).catalog().hash;
}

/** Lives for one reading. */
class CatalogReader {
  readonly #directory: string;
  readonly #root: string;
  readonly #limits: CatalogLimits;
  readonly #onFile: ReadCatalogOptions["onFile"];
  readonly #strict: boolean;
  readonly #reader = new FileReader();
  readonly #flaws: Flaw[] = [];
  #left: number;

  constructor(directory: string, { limits = catalogLimits, onFile }: ReadCatalogOptions, strict: boolean) {
    this.#directory = directory;
    this.#root = realFolder(directory);
    this.#limits = limits;
    this.#left = limits.bytes;
    this.#onFile = onFile;
    this.#strict = strict;
  }

  catalog(): Catalog {
    const ignore = ignoreRules(this.#ownFile(ignoreFileName), this.#flaws);
    const walk = walkCatalog(this.#root, ignore, this.#limits, this.#flaws);
    for (const { path } of walk.files) {
      const meant = nearly(path);
      if (meant !== null) this.#flaw("nearlyOurs", path, `is nearly ${meant}, and would not count`, `call it ${meant}`);
    }
    // Nothing of a catalog that is refused anyhow needs to be read.
    this.#throwFlaws();
    if (walk.files.length === 0) throw this.#empty(walk.ignored.length);
    const source = walk.files.some(({ path }) => path === layoutFileName) ? this.#ownFile(layoutFileName) : null;
    const layout = layoutOf(source === null ? [] : this.#parsed(layoutFileName, source), source ?? "", this.#flaws);
    const components = walk.files
      .toSorted(byPath)
      .map((file): Component => ({ path: file.path, ...layout.place(file.path), ...this.#content(file) }));
    this.#throwFlaws();
    return {
      hash: catalogHashOf(components),
      components,
      ignored: walk.ignored.toSorted(byPath),
      unmatched: [
        ...ignore.unmatched().map((glob) => ({ file: ignoreFileName, glob })),
        ...layout.unmatched().map((glob) => ({ file: layoutFileName, glob })),
      ],
    };
  }

  #content(file: FoundFile): { readonly size: number; readonly sha256: string } {
    const reading = this.#reader.read(file.real, file.size, this.#left);
    switch (reading.kind) {
      case "read": {
        const bytes = this.#checked(file.path, reading.bytes);
        this.#left -= reading.bytes.length;
        this.#onFile?.(file.path, bytes);
        return { size: bytes.length, sha256: hash("sha256", bytes, "hex") };
      }
      case "changed":
        this.#flaw("fileChanged", file.path, "changed while it was being read", "try again when nothing writes to it");
        break;
      case "unreadable":
        this.#flaw("unreadable", file.path, `cannot be read (${reading.code})`, "see to its permissions");
        break;
      default:
        reading satisfies never;
    }
    return { size: 0, sha256: "" };
  }

  #checked(path: string, raw: Uint8Array): Uint8Array {
    if (!isTextPath(path)) {
      // A key lies in a file of any name, and in text of any encoding.
      if (this.#strict && !raw.includes(0)) this.#flaws.push(...plantedSecrets(path, anyText(raw)));
      return raw;
    }
    const normal = normaliseText(path, raw);
    if (normal.kind === "flaw") {
      this.#flaws.push(normal.flaw);
      return raw;
    }
    if (this.#strict) this.#checkText(path, utf8Text(normal.bytes));
    return normal.bytes;
  }

  #checkText(path: string, text: string): void {
    this.#flaws.push(...plantedSecrets(path, text));
    // The layout has been parsed already.
    if (path !== layoutFileName) this.#parsed(path, text);
  }

  #parsed(path: string, text: string): readonly DocumentNode[] {
    try {
      return strictData(path, text) ?? [];
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      this.#flaws.push(faultFlaw(error, text, path));
      return [];
    }
  }

  /** The text of a file that says something about the catalog, or null when there is none. */
  #ownFile(name: string): string | null {
    const path = join(this.#root, name);
    const stat = statOf(path);
    if (stat === undefined) return null;
    const most = 1024 * 1024;
    if (stat?.isFile() !== true || stat.size > most) {
      this.#flaw("unreadable", name, "is no file that can be read, or larger than a mebibyte", "make it a short file");
      return null;
    }
    const reading = this.#reader.read(path, stat.size, most);
    if (reading.kind !== "read") {
      this.#flaw("unreadable", name, "cannot be read, or changes meanwhile", "see to its permissions");
      return null;
    }
    const normal = normaliseText(name, reading.bytes);
    if (normal.kind === "text") return utf8Text(normal.bytes);
    this.#flaws.push(normal.flaw);
    return null;
  }

  #empty(ignored: number): BundleError {
    const message =
      ignored === 0 ? "holds no file" : `holds no file but ${ignored === 1 ? "one that is" : "what is"} ignored`;
    return new BundleError("the catalog is empty", [
      fileFlaw(
        "catalogEmpty",
        this.#directory,
        message,
        "put a prompt into it, or take `catalog` out of the declaration",
      ),
    ]);
  }

  #throwFlaws(): void {
    throwFlaws("the catalog is refused", this.#flaws);
  }

  #flaw(code: string, file: string, message: string, hint: string): void {
    this.#flaws.push(fileFlaw(code, file, message, hint));
  }
}

/** Undefined for what is not there, null for what cannot be looked at. */
function statOf(path: string): fs.Stats | undefined | null {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return null;
  }
}

/** UTF-8, or else an encoding whose characters are one byte each: what keys are made of is the same in all of them. */
function anyText(bytes: Uint8Array): string {
  return isUtf8(bytes) ? utf8Text(bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

/** The name of ours that a file's name is on some systems alone, or nearly; null for any other. */
function nearly(path: string): string | null {
  const folded = foldName(path);
  if (folded === ignoreFileName && path !== ignoreFileName) return ignoreFileName;
  return /^catalog\.ya?ml$/.test(folded) && path !== layoutFileName ? layoutFileName : null;
}

function realFolder(directory: string): string {
  const problem = (code: string, message: string, hint: string): BundleError =>
    new BundleError("there is no catalog", [fileFlaw(code, directory, message, hint)]);
  try {
    const real = fs.realpathSync(directory);
    if (fs.statSync(real).isDirectory()) return real;
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (code === "ENOENT") throw problem("catalogMissing", "is not there", "make it, or correct `catalog`");
    throw problem("unreadable", `cannot be read (${code})`, "see to its permissions");
  }
  throw problem("catalogMissing", "is no folder", "name the folder of the catalog");
}
