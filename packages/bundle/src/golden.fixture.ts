// Catalogs and the hashes that another program made of them, by the rule alone. As JSON, so that no checkout touches a byte.
import fs from "node:fs";
import type { Tree } from "./catalog-folder.fixture.ts";

export interface Golden {
  readonly what: string;
  readonly tree: Readonly<Record<string, string | { readonly base64: string }>>;
  readonly hash: string;
}

export const golden: readonly Golden[] = JSON.parse(
  fs.readFileSync(new URL("./golden.json", import.meta.url), "utf8"),
) as readonly Golden[];

export function treeOf({ tree }: Golden): Tree {
  return Object.fromEntries(
    Object.entries(tree).map(([path, content]) => [
      path,
      typeof content === "string" ? content : Buffer.from(content.base64, "base64"),
    ]),
  );
}
