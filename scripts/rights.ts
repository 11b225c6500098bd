// Writes manifests/ and the tables of docs/rights.md from the one list of rights; `--check` only says whether they are as it would write them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rights } from "@moorage/kubernetes";
import { clusterManifest, namespaceManifest } from "./rbac-manifest.ts";
import { withTables } from "./rights-tables.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = join(root, "docs", "rights.md");
const checking = process.argv.includes("--check");

const files: Readonly<Record<string, string>> = {
  [join(root, "manifests", "rbac.yaml")]: namespaceManifest(rights),
  [join(root, "manifests", "rbac-cluster.yaml")]: clusterManifest(rights),
  [page]: withTables(readFileSync(page, "utf8"), rights),
};

mkdirSync(join(root, "manifests"), { recursive: true });
const stale = Object.entries(files).filter(([path, text]) => readIfThere(path) !== text);
for (const [path, text] of stale) {
  if (checking)
    console.error(`${path.slice(root.length)} is not what the list of rights says: run \`node scripts/rights.ts\``);
  else writeFileSync(path, text);
}
console.log(
  `${rights.length} rights, ${Object.keys(files).length} files, ${stale.length} ${checking ? "stale" : "written"}`,
);
process.exitCode = checking && stale.length > 0 ? 1 : 0;

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
