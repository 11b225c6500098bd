// What a published package.json says: the checkout's, turned from sources to what was built, without anything of the repository.
import { readFileSync } from "node:fs";

/** The parts of a package.json that the build reads and writes. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  /** A source for each way in. */
  readonly exports?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Reads a package.json. */
export function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, "utf8")) as Manifest;
}

/** A library: its exports point at JavaScript and declarations, its dependencies stay. */
export function libraryManifest(manifest: Manifest): Manifest {
  const { devDependencies: _, scripts: __, ...kept } = manifest;
  return {
    ...kept,
    exports: {
      ...Object.fromEntries(Object.entries(kept.exports ?? {}).map(([name, source]) => [name, builtFrom(source)])),
      "./package.json": "./package.json",
    },
    files: ["dist"],
  };
}

function builtFrom(source: string): { readonly types: string; readonly default: string } {
  const built = source.replace("./src/", "./dist/").replace(/\.ts$/, "");
  return { types: `${built}.d.ts`, default: `${built}.js` };
}

/** The command: everything is in its bundle, so it depends on nothing and can only be run. */
export function commandManifest(manifest: Manifest): Manifest {
  const files = ["dist", "schema", "resources", "manifests", "THIRD-PARTY-LICENSES"];
  return { ...bundled(manifest), bin: { moorage: "./dist/moorage.js" }, files };
}

/** The provider: one file that can only be run. */
export function providerManifest(manifest: Manifest): Manifest {
  const bin = { "buzz-backend-moorage": "./dist/buzz-backend-moorage.cjs" };
  return { ...bundled(manifest), bin, files: ["dist", "THIRD-PARTY-LICENSES"] };
}

function bundled({ devDependencies: _, scripts: __, dependencies: ___, ...kept }: Manifest): Manifest {
  return { ...kept, exports: { "./package.json": "./package.json" } };
}
