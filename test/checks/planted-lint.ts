// Violations of the rules that the linter holds: each is planted in a file of its own and must be told by the very rule named.

/** A file that breaks one rule: where it lies in the repository, what it says, and the rule that must speak. */
export interface Plant {
  readonly what: string;
  readonly path: string;
  readonly text: string;
  readonly rule: string;
}

const imports = "eslint(no-restricted-imports)";
const globals = "eslint(no-restricted-globals)";

const impureGlobals: Readonly<Record<string, string>> = {
  Date: "Date.now()",
  performance: "performance.now()",
  setTimeout: "setTimeout(() => {}, 1)",
  setInterval: "setInterval(() => {}, 1)",
  setImmediate: "setImmediate(() => {})",
  queueMicrotask: "queueMicrotask(() => {})",
  process: "process.pid",
  console: 'console.log("x")',
  crypto: "crypto.randomUUID()",
  fetch: "fetch",
  Buffer: 'Buffer.from("x")',
  globalThis: "globalThis",
};

const impureModules = ["node:fs", "node:crypto", "fs", "yaml", "@moorage/keys"];

/** [from, to]: arrows that are not in the architecture. */
const wrongArrows = [
  ["keys", "@moorage/local"],
  ["keys", "@moorage/harness"],
  ["keys", "@moorage/agent"],
  ["keys", "@moorage/bundle"],
  ["bundle", "@moorage/local"],
  ["bundle", "@moorage/harness"],
  ["bundle", "moorage"],
  ["harness", "@moorage/local"],
  ["harness", "@moorage/keys"],
  ["harness", "moorage"],
  ["agent", "@moorage/core"],
  ["agent", "yaml"],
  ["agent", "nodemailer"],
  ["local", "moorage"],
  ["local", "@moorage/agent"],
  ["kubernetes", "@moorage/keys"],
  ["kubernetes", "@moorage/local"],
  ["kubernetes", "moorage"],
  ["kubernetes", "@moorage/provider"],
  ["provider", "@moorage/local"],
  ["provider", "moorage"],
  ["cli", "@moorage/provider"],
  ["cli", "@moorage/harness"],
  ["cli", "@moorage/agent"],
] as const;

const deep = [
  ["local", "@moorage/core/src/index.ts"],
  ["keys", "@moorage/core/deploy"],
  ["bundle", "@moorage/core/src/index.ts"],
  ["harness", "../../core/src/index.ts"],
  ["kubernetes", "@moorage/core/src/index.ts"],
  ["provider", "@moorage/kubernetes/src/index.ts"],
  ["cli", "../../local/src/index.ts"],
  ["core", "../../keys/src/index.ts"],
] as const;

/** Every rule that the architecture and the house lean on, broken once at least. */
export const plants: readonly Plant[] = [
  ...Object.entries(impureGlobals).map(([name, use]) => ({
    what: `core uses ${name}`,
    path: `packages/core/src/global-${name.toLowerCase()}.ts`,
    text: `export const value: unknown = ${use};\n`,
    rule: globals,
  })),
  {
    what: "core uses Math.random",
    path: "packages/core/src/random.ts",
    text: "export const value: number = Math.random();\n",
    rule: "eslint(no-restricted-properties)",
  },
  ...impureModules.map((module, at) => ({
    what: `core imports ${module}`,
    path: `packages/core/src/module-${at}.ts`,
    text: `import "${module}";\n`,
    rule: imports,
  })),
  ...wrongArrows.map(([from, to], at) => ({
    what: `${from} imports ${to}`,
    path: `packages/${from}/src/arrow-${at}.ts`,
    text: `export * from "${to}";\n`,
    rule: imports,
  })),
  ...deep.map(([from, to], at) => ({
    what: `${from} imports ${to}`,
    path: `packages/${from}/src/deep-${at}.ts`,
    text: `export * from "${to}";\n`,
    rule: imports,
  })),
  {
    what: "a test imports the inside of a package",
    path: "test/inside.ts",
    text: 'export * from "../packages/core/src/index.ts";\n',
    rule: imports,
  },
  {
    what: "two files import each other",
    path: "packages/local/src/cycle-a.ts",
    text: 'import { b } from "./cycle-b.ts";\nexport const a: () => number = () => b();\n',
    rule: "import(no-cycle)",
  },
  {
    what: "a promise floats",
    path: "packages/local/src/floating.ts",
    text: "async function later(): Promise<void> {}\nexport function now(): void {\n  later();\n}\n",
    rule: "typescript(no-floating-promises)",
  },
  {
    what: "a promise where none is awaited",
    path: "packages/local/src/misused.ts",
    text: "export function each(all: number[]): void {\n  all.forEach(async () => {});\n}\n",
    rule: "typescript(no-misused-promises)",
  },
  {
    what: "a switch forgets a case",
    path: "packages/local/src/forgets.ts",
    text: 'export function n(kind: "a" | "b"): number {\n  switch (kind) {\n    case "a":\n      return 1;\n  }\n  return 2;\n}\n',
    rule: "typescript(switch-exhaustiveness-check)",
  },
  {
    what: "any",
    path: "packages/local/src/any.ts",
    text: "export type Anything = any;\n",
    rule: "typescript(no-explicit-any)",
  },
  {
    what: "a compiler error is silenced",
    path: "packages/local/src/silenced.ts",
    text: "// @ts-ignore\nexport const value: number = 1;\n",
    rule: "typescript(ban-ts-comment)",
  },
  {
    what: "the environment is read by something that is no entry point",
    path: "packages/local/src/environment.ts",
    text: "export const home: string | undefined = process.env.HOME;\n",
    rule: "eslint(no-restricted-properties)",
  },
  {
    what: "a file of more than 400 lines",
    path: "packages/local/src/longer.ts",
    text: `${"export {};\n".repeat(401)}`,
    rule: "eslint(max-lines)",
  },
];
