// Bundles the command, its supervisor and the harness of images, without anything to install beside, and collects the licences of what went in.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

/** Bundled CommonJS asks for Node's own modules with `require`, which an ES module does not have. */
const banner = 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);';

/** What the rare ways to a cluster need is as big as all the rest, and left for whoever needs it to install. */
const external = ["@kubernetes/client-node"];

/**
 * Writes main.js, run.js and supervisor.cjs into a directory; resolves to the text of the licences of the packages inside.
 * main.js is there at once and loads run.js when it has something to do: finding dozens of chunks costs more than reading one
 * file, of which what a call does not need is never evaluated. A supervisor outlives updates of the command: all that it will
 * ever need is in one file, and as CommonJS it is the smaller at rest.
 */
export async function bundleCommand(root: string, directory: string): Promise<string> {
  const sources = {
    "main.js": "packages/cli/src/main.ts",
    "run.js": "packages/cli/src/run.ts",
    "supervisor.cjs": "packages/local/src/supervisor.ts",
  };
  const bundles = Object.entries(sources).map(([name, source]) => bundle(root, source, join(directory, name)));
  return licenses(root, await Promise.all(bundles));
}

/** Writes the harness as an image's entrypoint: one file that Node alone runs. Nothing of anybody else's goes into it. */
export async function bundleHarness(root: string, file: string): Promise<void> {
  await bundle(root, "packages/harness/src/pod-entry.ts", file);
}

async function bundle(root: string, source: string, file: string): Promise<Metafile> {
  const commonJs = file.endsWith(".cjs");
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, source)],
    outfile: file,
    bundle: true,
    external,
    format: commonJs ? "cjs" : "esm",
    platform: "node",
    target: "node24",
    banner: commonJs ? {} : { js: banner },
    alias: { yaml: moduleForm(root) },
    plugins: [restApart, lateBuiltins, urlsOfBuiltFiles],
    // Half to read at every start. Names stay, for whoever reads a stack trace.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  return metafile;
}

const restApart: Plugin = {
  name: "rest-apart",
  setup(bundling) {
    bundling.onResolve({ filter: /^\.\/run\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./run.js", external: true } : undefined,
    );
  },
};

/**
 * Node's own modules are had at their first use. An `import` of one evaluates all that it has: streams for the sake of
 * `readFileSync`, and `spawn` where nothing is ever spawned. That was a third of what a short command costs.
 */
const lateBuiltins: Plugin = {
  name: "late-builtins",
  setup(bundling) {
    bundling.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "builtin", sideEffects: false } : undefined,
    );
    bundling.onLoad({ filter: /^/, namespace: "builtin" }, ({ path }) => ({ contents: lateBuiltin(path) }));
  },
};

/** A module with the exports of one of Node's; those that nobody uses are left out of the bundle. */
function lateBuiltin(name: string): string {
  const properties = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(name) ?? {}));
  const exports = properties
    .filter(([key]) => /^\w+$/.test(key) && key !== "default")
    .map(([key, { value }]) =>
      // What begins in lower case is called; classes and constants are needed as they are.
      typeof value === "function" && /^[a-z]/.test(key)
        ? `export const ${key} = (...args) => builtin().${key}(...args);`
        : `export const ${key} = /* @__PURE__ */ (() => builtin().${key})();`,
    );
  const builtin = `let found; const builtin = () => (found ??= process.getBuiltinModule(${JSON.stringify(name)}));`;
  return `${builtin}\n${exports.join("\n")}\nexport default /* @__PURE__ */ builtin();\n`;
}

/** Each bundle finds the other one beside it, by the name that it has once it is built. */
const urlsOfBuiltFiles: Plugin = {
  name: "urls-of-built-files",
  setup(bundling) {
    bundling.onLoad({ filter: /packages\/[a-z]+\/src\/.*\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8").replaceAll(
        /new URL\(\s*["'](?:\.{1,2}\/)+(?:[^"']*\/)?([^"'/]+)\.ts["'],\s*import\.meta\.url\s*,?\s*\)/g,
        (_all, name: string) => `new URL("./${name}${name === "supervisor" ? ".cjs" : ".js"}", import.meta.url)`,
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
