/** Paths inside a catalog: POSIX, NFC, relative, and different from each other on every file system. */
import { shown } from "./bundle-error.ts";

/** In bytes of UTF-8, as file systems count. */
export const pathLimits: { readonly name: number; readonly path: number; readonly depth: number } = {
  name: 255,
  path: 1_024,
  depth: 32,
};

/** What is wrong with one name of a path, or null. */
export function nameMistake(name: string): string | null {
  if (name === "" || name === "." || name === "..") return "names no file";
  if (name.includes("\\")) return "holds a backslash, which parts folders on other systems";
  if (name.includes("/")) return "holds a slash";
  if (/\p{Cc}/u.test(name)) return "holds a control character";
  if (!name.isWellFormed()) return "is no valid Unicode";
  if (Buffer.byteLength(name) > pathLimits.name) return `is longer than ${pathLimits.name} bytes`;
  return null;
}

/** What is wrong with a path that somebody else wrote, or null: it must be normalised already. */
export function pathMistake(path: string): string | null {
  if (path.startsWith("/")) return "is absolute";
  if (Buffer.byteLength(path) > pathLimits.path) return `is longer than ${pathLimits.path} bytes`;
  const names = path.split("/");
  if (names.length > pathLimits.depth) return `is deeper than ${pathLimits.depth} folders`;
  for (const name of names) {
    const mistake = nameMistake(name);
    if (mistake !== null) return mistake;
  }
  return path === path.normalize("NFC") ? null : "is not in normal form C";
}

/**
 * Equal for two names that some file system takes for one. Upper case makes `ß` and `ss` equal, and both forms of a small
 * sigma; lower case before it, since a capital `ẞ` has no other. Independent of the locale.
 */
export function foldName(name: string): string {
  return name.normalize("NFD").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}

/** Two of the paths, or folders of them, that some file system takes for one; or null. The paths are in NFC. */
export function collision(paths: readonly string[]): readonly [string, string] | null {
  // What stands under a folded path: its spelling, and whether it is a file.
  const taken = new Map<string, { readonly spelling: string; readonly file: boolean }>();
  for (const path of paths)
    for (let end = path.indexOf("/"); ; end = path.indexOf("/", end + 1)) {
      const file = end === -1;
      const spelling = file ? path : path.slice(0, end);
      const folded = foldName(spelling);
      const other = taken.get(folded);
      if (other === undefined) taken.set(folded, { spelling, file });
      else if (other.spelling !== spelling || file || other.file) return [other.spelling, path];
      if (file) break;
    }
  return null;
}

/** Two colliding names side by side, so that a person sees how they differ. */
export function bothShown(one: string, other: string): string {
  return `${shown(one)} and ${shown(other)}`;
}
