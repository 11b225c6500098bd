// Holds the built packages against what package managers, Node and TypeScript expect of a package's shape.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { readManifest } from "./published-manifest.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const built = join(root, "build", "packages");
if (!existsSync(built)) throw new Error("nothing is built yet: run `npm run build` first");

let wrong = 0;
for (const name of readdirSync(built)) {
  const directory = join(built, name);
  const manifest = readManifest(join(directory, "package.json"));
  const { messages } = await publint({ pkgDir: directory, pack: false, strict: true });
  for (const message of messages) console.error(`${manifest.name}: ${formatMessage(message, manifest)}`);
  wrong += messages.length;
  if (existsSync(join(directory, "dist", "index.d.ts"))) wrong += typesAreWrong(directory) ? 1 : 0;
  console.log(`${manifest.name}: looked at`);
}
process.exitCode = wrong === 0 ? 0 : 1;

/** The packages are ES modules alone, and say so: only those ways to resolve them count. */
function typesAreWrong(directory: string): boolean {
  const attw = join(root, "node_modules", ".bin", "attw");
  const { status, stdout } = spawnSync(
    attw,
    ["--pack", directory, "--profile", "esm-only", "--format", "ascii", "--no-emoji"],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0) console.error(stdout);
  return status !== 0;
}
