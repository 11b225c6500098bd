/** The agent's catalog on one machine: a read-only copy, made at start, that no later edit reaches. */
import fs from "node:fs";
import { join, sep } from "node:path";

/** What a catalog may be at most; more is a mistake in the declaration. */
export const catalogLimits: { readonly files: number; readonly bytes: number } = {
  files: 10_000,
  bytes: 64 * 1024 * 1024,
};

export type CatalogCopy =
  | { readonly kind: "copied"; readonly files: number; readonly bytes: number }
  /** Nothing is left at the target. */
  | { readonly kind: "refused"; readonly code: CatalogRefusal; readonly detail: string };

export type CatalogRefusal =
  | "catalogMissing"
  | "catalogOutside"
  | "catalogSpecial"
  | "catalogTooLarge"
  | "catalogUnreadable";

export interface CatalogFile {
  /** Below the catalog, with "/" between its parts. */
  readonly path: string;
  readonly size: number;
}

class Refusal extends Error {
  readonly code: CatalogRefusal;

  constructor(code: CatalogRefusal, detail: string) {
    super(detail);
    this.code = code;
  }
}

/**
 * Copies a directory: files 0400, directories 0700, so that its owner can remove them. Links inside are followed; one
 * that leads outside, and anything that is neither file nor directory, is refused. `target` must not exist.
 */
export function copyCatalog(source: string, target: string): CatalogCopy {
  const total = { files: 0, bytes: 0 };

  function copy(from: string, to: string, root: string, above: readonly string[]): void {
    const real = fs.realpathSync(from);
    if (real !== root && !real.startsWith(root + sep))
      throw new Refusal("catalogOutside", `${from} leads out of the catalog, to ${real}`);
    const found = fs.statSync(real);
    if (found.isDirectory()) {
      if (above.includes(real)) throw new Refusal("catalogOutside", `${from} leads back to a directory that holds it`);
      fs.mkdirSync(to, { mode: 0o700 });
      for (const name of fs.readdirSync(real)) copy(join(from, name), join(to, name), root, [...above, real]);
      return;
    }
    if (!found.isFile()) throw new Refusal("catalogSpecial", `${from} is neither a file nor a directory`);
    total.files += 1;
    total.bytes += found.size;
    if (total.files > catalogLimits.files || total.bytes > catalogLimits.bytes)
      throw new Refusal(
        "catalogTooLarge",
        `${source} holds more than ${catalogLimits.files} files or ${catalogLimits.bytes} bytes`,
      );
    fs.copyFileSync(real, to, fs.constants.COPYFILE_EXCL);
    fs.chmodSync(to, 0o400);
  }

  try {
    const root = fs.realpathSync(source);
    if (!fs.statSync(root).isDirectory()) throw new Refusal("catalogMissing", `${source} is not a directory`);
    copy(source, target, root, []);
    return { kind: "copied", ...total };
  } catch (error) {
    fs.rmSync(target, { recursive: true, force: true });
    if (error instanceof Refusal) return { kind: "refused", code: error.code, detail: error.message };
    if (isMissing(error)) return { kind: "refused", code: "catalogMissing", detail: `${source} is not there` };
    return {
      kind: "refused",
      code: "catalogUnreadable",
      detail: error instanceof Error ? error.message : String(error),
    };
  }
}

/**
 * A path as an agent names it, below the catalog; null when it could lead anywhere else. Percent signs are already
 * decoded.
 */
export function insideCatalog(path: string): string | null {
  if (path === "" || path.includes("\0") || path.includes("\\")) return null;
  const parts = path.split("/");
  return parts.every((part) => part !== "" && part !== "." && part !== "..") ? parts.join("/") : null;
}

/** The bytes of one file of the copy, or null when there is none of that name. */
export async function readCatalogFile(directory: string, path: string): Promise<Buffer | null> {
  const inside = insideCatalog(path);
  if (inside === null) return null;
  try {
    return await fs.promises.readFile(`${directory}/${inside}`);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** All files of the copy, by path. */
export async function listCatalog(directory: string): Promise<CatalogFile[]> {
  const files: CatalogFile[] = [];
  async function walk(below: string): Promise<void> {
    for (const entry of await fs.promises.readdir(`${directory}/${below}`, { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) await walk(path);
      else files.push({ path, size: (await fs.promises.stat(`${directory}/${path}`)).size });
    }
  }
  await walk("");
  return files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR" || code === "ELOOP" || code === "ENAMETOOLONG";
}
