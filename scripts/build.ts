// Builds the published form of every package into build/packages: `tsc` for the libraries, one esbuild bundle each for the command, its supervisor, the provider and the harness of images.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleCommand, bundleHarness, bundleProvider } from "./bundle.ts";
import {
  commandManifest,
  libraryManifest,
  type Manifest,
  providerManifest,
  readManifest,
} from "./published-manifest.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const libraries = ["core", "keys", "bundle", "agent", "harness", "local", "kubernetes"] as const;
const out = join(root, "build", "packages");

rmSync(out, { recursive: true, force: true });
compile();
for (const name of libraries) buildLibrary(name);
await bundleHarness(root, join(out, "harness", "dist", "harness.cjs"));
await buildCommand();
await buildProvider();
console.log(`built ${[...libraries, "cli", "provider"].join(", ")} into ${relative(root, out)}`);

function compile(): void {
  const { status } = spawnSync(
    join(root, "node_modules", ".bin", "tsc"),
    ["-b", ...libraries.map((name) => join("packages", name))],
    {
      cwd: root,
      stdio: "inherit",
    },
  );
  if (status !== 0) throw new Error("tsc failed: nothing is built");
}

function buildLibrary(name: string): void {
  const source = join(root, "packages", name);
  const target = join(out, name);
  const compiled = join(root, "build", "tsc", name);
  for (const file of filesBelow(compiled)) {
    // What tsc made of a source that is gone since stays in its directory.
    if (!existsSync(join(source, "src", file.replace(/(\.d)?\.[jt]s$/, ".ts")))) continue;
    const to = join(target, "dist", file);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, asPublished(readFileSync(join(compiled, file), "utf8")));
  }
  finish(source, target, libraryManifest(readManifest(join(source, "package.json"))));
}

async function buildCommand(): Promise<void> {
  const source = join(root, "packages", "cli");
  const target = join(out, "cli");
  mkdirSync(join(target, "dist"), { recursive: true });
  const licenses = await bundleCommand(root, join(target, "dist"));
  cpSync(join(source, "bin", "published.mjs"), join(target, "dist", "moorage.js"));
  writeFileSync(join(target, "THIRD-PARTY-LICENSES"), licenses);
  // What the command reads as files: its schemas, the examples that `init` writes, and the SDK that goes with it.
  copySources(join(source, "schema"), join(target, "schema"));
  for (const example of ["scribe", "ticker-pod"])
    copySources(join(root, "examples", example), join(target, "resources", example));
  copySources(join(root, "packages", "agent", "src"), join(target, "resources", "moorage-agent"));
  cpSync(join(root, "manifests"), join(target, "manifests"), { recursive: true });
  finish(source, target, commandManifest(readManifest(join(source, "package.json"))));
}

async function buildProvider(): Promise<void> {
  const source = join(root, "packages", "provider");
  const target = join(out, "provider");
  mkdirSync(join(target, "dist"), { recursive: true });
  const licenses = await bundleProvider(root, join(target, "dist", "buzz-backend-moorage.cjs"));
  writeFileSync(join(target, "THIRD-PARTY-LICENSES"), licenses);
  finish(source, target, providerManifest(readManifest(join(source, "package.json"))));
}

function copySources(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter: (path) => !/(?:\.(?:test|fixture)\.ts|node_modules|tsconfig.*\.json)$/.test(path),
  });
}

/** Files that are found by URL, and imports in declarations, keep their source names through `tsc`. */
function asPublished(text: string): string {
  return text
    .replaceAll(/(new URL\(\s*["']\.{1,2}\/[^"']+)\.ts(["'],\s*import\.meta\.url)/g, "$1.js$2")
    .replaceAll(/((?:from|import\()\s*["']\.{1,2}\/[^"']+)\.ts(["'])/g, "$1.js$2");
}

function finish(source: string, target: string, manifest: Manifest): void {
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(source, "README.md"), join(target, "README.md"));
  cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}
