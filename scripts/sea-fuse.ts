// Whether a Node can be made into a single executable: it needs a place that is kept for a program, and not every build has one.
import { readFileSync } from "node:fs";

/** What marks the place in Node's own file, and is turned over once a program is there. */
export const seaFuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Why it cannot, or null. `node`: the path of its file. */
export function whyNoExecutable(node: string, platform: NodeJS.Platform): string | null {
  if (platform !== "linux" && platform !== "darwin") return `it is not made on ${platform}`;
  const bytes = readFileSync(node);
  if (bytes.includes(`${seaFuse}:1`)) return "this Node holds a program already";
  if (!bytes.includes(`${seaFuse}:0`))
    return "this Node has no place for a program: a distribution's build often has none, and one from nodejs.org has";
  return null;
}
