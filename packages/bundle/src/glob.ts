/** Globs over paths: `*` and `?` stay within one name, `**` stands for any number of folders. */

export type Glob = (path: string) => boolean;

/** What is wrong with a glob, or null: it has to be a path below the catalog. */
export function globMistake(glob: string): string | null {
  if (glob === "") return "is empty";
  if (glob.includes("\\")) return "holds a backslash: folders are parted by /";
  if (glob.startsWith("/")) return "is absolute: it begins below the catalog";
  if (glob.startsWith("!")) return "begins with !, which has no meaning here";
  const parts = glob.split("/");
  if (parts.some((part) => part === ".." || part === "." || part === "")) return "holds a part that names no folder";
  if (parts.some((part) => part.includes("**") && part !== "**")) return "holds ** beside other characters";
  return null;
}

/** Matches a whole path, both in NFC. Its time grows with the product of the lengths, never beyond. */
export function glob(pattern: string): Glob {
  const parts = pattern.normalize("NFC").split("/");
  return (path) => partsMatch(parts, path.split("/"));
}

function partsMatch(parts: readonly string[], names: readonly string[]): boolean {
  // reached[n]: the parts so far match the first n names.
  let reached = names.map(() => false);
  reached.unshift(true);
  for (const part of parts) {
    const next = reached.map(() => false);
    for (let at = 0; at < reached.length; at += 1) {
      if (part === "**") next[at] = reached[at] === true || (at > 0 && next[at - 1] === true);
      else if (at > 0) next[at] = reached[at - 1] === true && nameMatches(part, names[at - 1] ?? "");
    }
    reached = next;
  }
  return reached.at(-1) === true;
}

/** The usual two pointers: back to the last star, and one character further. */
function nameMatches(part: string, name: string): boolean {
  const pattern = [...part];
  const text = [...name];
  let p = 0;
  let star = -1;
  let from = 0;
  for (let t = 0; t < text.length; ) {
    if (pattern[p] === "*") {
      star = p;
      from = t;
      p += 1;
    } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === text[t])) {
      p += 1;
      t += 1;
    } else if (star !== -1) {
      from += 1;
      t = from;
      p = star + 1;
    } else return false;
  }
  return pattern.slice(p).every((character) => character === "*");
}
