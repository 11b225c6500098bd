// Bundles the command and its supervisor, without anything to install beside, and collects the licences of what went in.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

/** Bundled CommonJS asks for Node's own modules with `require`, which an ES module does not have. */
const banner = [
  'import { createRequire as __createRequire } from "node:module";',
  "const require = __createRequire(import.meta.url);",
].join("\n");

/**
 * Writes main.js with its chunks, and supervisor.js, into a directory; resolves to the text of the licences of the packages inside.
 * The command loads only what a call needs. A supervisor outlives updates of the command: all that it will ever need is in one file.
 */
export async function bundleCommand(root: string, directory: string): Promise<string> {
  const common = {
    absWorkingDir: root,
    outdir: directory,
    bundle: true,
    format: "esm" as const,
    platform: "node" as const,
    target: "node24",
    banner: { js: banner },
    alias: { yaml: moduleForm(root) },
    plugins: [urlsOfBuiltFiles],
    legalComments: "none" as const,
    metafile: true as const,
    logLevel: "warning" as const,
  } satisfies BuildOptions & { metafile: true };
  const command = await build({
    ...common,
    entryPoints: { main: join(root, "packages/cli/src/main.ts") },
    splitting: true,
    chunkNames: "[name]-[hash]",
  });
  const supervisor = await build({
    ...common,
    entryPoints: { supervisor: join(root, "packages/local/src/supervisor.ts") },
  });
  return licenses(root, [command.metafile, supervisor.metafile]);
}

/** Each bundle finds the other one beside it, by the name that it has once it is built. */
const urlsOfBuiltFiles: Plugin = {
  name: "urls-of-built-files",
  setup(bundling) {
    bundling.onLoad({ filter: /packages\/[a-z]+\/src\/.*\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8").replaceAll(
        /new URL\(\s*["'](?:\.{1,2}\/)+(?:[^"']*\/)?([^"'/]+)\.ts["'],\s*import\.meta\.url\s*,?\s*\)/g,
        'new URL("./$1.js", import.meta.url)',
      ),
    }));
  },
};

/** yaml as ES modules: its form for Node is CommonJS, of which nothing can be left out. */
function moduleForm(root: string): string {
  const commonJs = createRequire(join(root, "packages/cli/package.json")).resolve("yaml");
  return join(dirname(commonJs), "..", "browser", "index.js");
}

function licenses(root: string, bundles: readonly Metafile[]): string {
  const inputs = bundles.flatMap((bundle) => Object.keys(bundle.inputs));
  const folders = new Set(inputs.flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const at = join(root, folder);
    const { name, version } = JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as Record<string, string>;
    const file = readdirSync(at).find((entry) => /^licen[sc]e/i.test(entry));
    if (file === undefined) throw new Error(`${relative(root, at)} has no licence file to ship`);
    return `${name} ${version}\n\n${readFileSync(join(at, file), "utf8").trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}
