// Catalogs for tests: folders below the system's temporary one, made from plain data.
import fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BundleError, type Flaw } from "./bundle-error.ts";
import { readCatalog } from "./catalog.ts";

/** What stands where: the content of a file, or where a link leads. */
export type Tree = Readonly<Record<string, string | Uint8Array | { readonly link: string }>>;

export function temporaryFolder(): string {
  return fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "catalog-")));
}

/** Makes the tree in a folder, in the order of its keys. */
export function plantTree(folder: string, tree: Tree): string {
  for (const [path, content] of Object.entries(tree)) {
    const place = `${folder}/${path}`;
    fs.mkdirSync(dirname(place), { recursive: true });
    if (typeof content === "string" || content instanceof Uint8Array) fs.writeFileSync(place, content);
    else fs.symlinkSync(content.link, place);
  }
  return folder;
}

/** The flaws for which a catalog is refused. */
export function flawsOf(folder: string): readonly Flaw[] {
  try {
    readCatalog(folder);
  } catch (error) {
    if (error instanceof BundleError) return error.flaws;
    throw error;
  }
  throw new Error("it was accepted");
}
