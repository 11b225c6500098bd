// Bundles the command, its supervisor, the provider and the harness of images, without anything to install beside, and collects the licences of what went in.
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

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

/** What an older Node, which cannot run the rest, answers in the protocol's own form. It must be able to read all that is code in the file. */
const oldestThatReads = "node12";
const providerBanner = `#!/usr/bin/env node
if (Number.parseInt(process.versions.node, 10) < 24) {
  const error = "Node 24 or newer is needed, and this is " + process.version + ": install it, or put it first on PATH";
  try {
    require("fs").readFileSync(0);
  } catch {}
  require("fs").writeSync(1, JSON.stringify({ ok: false, error }) + "\\n");
  process.exit(0);
}`;

/**
 * Writes the provider as one file that Node alone runs; resolves to the text of the licences of the packages inside. What a deploy
 * needs is in it as a text that is compiled when there is one: to read all of it as code is half of what a form costs.
 */
export async function bundleProvider(root: string, file: string): Promise<string> {
  const parts: Metafile[] = [];
  const whole = await build({
    ...optionsFor(root, "packages/provider/src/main.ts", "cjs"),
    target: oldestThatReads,
    plugins: [compiledLater(root, parts), ...plugins],
    banner: { js: providerBanner },
    outfile: file,
  });
  chmodSync(file, 0o755);
  return licenses(root, [whole.metafile, ...parts]);
}

async function bundle(root: string, source: string, file: string): Promise<Metafile> {
  const format = file.endsWith(".cjs") ? "cjs" : "esm";
  const banners = format === "cjs" ? {} : { js: banner };
  const { metafile } = await build({ ...optionsFor(root, source, format), plugins, banner: banners, outfile: file });
  return metafile;
}

function optionsFor(root: string, source: string, format: "cjs" | "esm") {
  return {
    absWorkingDir: root,
    entryPoints: [join(root, source)],
    bundle: true,
    external,
    format,
    platform: "node",
    target: "node24",
    alias: { yaml: moduleForm(root) },
    // Half to read at every start. Names stay, for whoever reads a stack trace.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  } as const satisfies BuildOptions;
}

/** What `answer-deploy.ts` and all below it come to, as a text in the place of the module. */
function compiledLater(root: string, parts: Metafile[]): Plugin {
  return {
    name: "compiled-later",
    setup(bundling) {
      bundling.onResolve({ filter: /^\.\/answer-deploy\.ts$/ }, ({ path, kind, resolveDir }) =>
        kind === "dynamic-import" ? { path: relative(root, join(resolveDir, path)), namespace: "later" } : undefined,
      );
      bundling.onLoad({ filter: /^/, namespace: "later" }, async ({ path }) => {
        // Compiled as a text it has no `import`, and `require` reads ES modules too.
        const options = { ...optionsFor(root, path, "cjs"), supported: { "dynamic-import": false } };
        const { metafile, outputFiles } = await build({ ...options, plugins, write: false });
        parts.push(metafile);
        return { contents: laterModule(outputFiles[0]?.text ?? "") };
      });
    },
  };
}

/** Its `require` finds what is installed beside the file even where the file is an executable, whose own one knows nothing but Node's modules. */
function laterModule(text: string): string {
  return `const require = process.getBuiltinModule("node:module").createRequire(__filename);
const later = { exports: {} };
const compile = process.getBuiltinModule("node:vm").compileFunction;
compile(${JSON.stringify(text)}, ["exports", "require", "module"], { filename: __filename })(later.exports, require, later);
module.exports = later.exports;
`;
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

const plugins = [restApart, lateBuiltins, urlsOfBuiltFiles];

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
