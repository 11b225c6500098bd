// Every rule that the repository leans on is broken once, in a copy, and must be told by the very tool and rule that holds it.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findings } from "../../scripts/house-rules.ts";
import { plants } from "./planted-lint.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const packages = ["core", "keys", "bundle", "agent", "harness", "local", "kubernetes", "provider", "cli"];
const bin = (name: string) => join(root, "node_modules", ".bin", name);

/** A copy of the repository's rules with as good as no code. */
function emptyHouse(): string {
  const house = mkdtempSync(join(tmpdir(), "house-"));
  for (const file of [".oxlintrc.json", "tsconfig.base.json", "tsconfig.types.json", "knip.json", "package.json"])
    cpSync(join(root, file), join(house, file));
  symlinkSync(join(root, "node_modules"), join(house, "node_modules"));
  for (const name of packages) {
    const from = join(root, "packages", name);
    const to = join(house, "packages", name);
    for (const file of ["package.json", "tsconfig.json"]) {
      mkdirSync(to, { recursive: true });
      cpSync(join(from, file), join(to, file));
    }
    plant(house, `packages/${name}/src/index.ts`, "// Nothing.\nexport {};\n");
  }
  return house;
}

function plant(house: string, path: string, text: string): void {
  const file = join(house, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function run(
  house: string,
  command: string,
  args: readonly string[],
): { readonly code: number | null; readonly out: string } {
  const { status, stdout, stderr } = spawnSync(bin(command), args, {
    cwd: house,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return { code: status, out: stdout + stderr };
}

function lint(house: string): ReadonlyMap<string, readonly string[]> {
  const { out } = run(house, "oxlint", ["--type-aware", "--format", "json"]);
  const { diagnostics } = JSON.parse(out.slice(out.indexOf("{"))) as {
    diagnostics: readonly { readonly code: string; readonly filename: string }[];
  };
  const told = new Map<string, string[]>();
  for (const { code, filename } of diagnostics) told.set(filename, [...(told.get(filename) ?? []), code]);
  return told;
}

describe("the linter", () => {
  let clean: string;
  let broken: string;
  let told: ReadonlyMap<string, readonly string[]>;
  beforeAll(() => {
    clean = emptyHouse();
    broken = emptyHouse();
    plant(
      broken,
      "packages/local/src/cycle-b.ts",
      'import { a } from "./cycle-a.ts";\nexport const b: () => number = () => a();\n',
    );
    for (const { path, text } of plants) plant(broken, path, text);
    told = lint(broken);
  });
  afterAll(() => {
    for (const house of [clean, broken]) rmSync(house, { recursive: true });
  });

  test("has nothing to say about a house in order", () => {
    expect([...lint(clean).keys()]).toEqual([]);
  });

  test.each(plants)("tells: $what", ({ path, rule }) => {
    expect(told.get(path)).toContain(rule);
  });
});

describe("the compiler", () => {
  let house: string;
  beforeAll(() => {
    house = emptyHouse();
    plant(house, "packages/core/src/clean.ts", "export const value: number = Math.abs(-1);\n");
    plant(house, "packages/core/src/timer.ts", "export const value: unknown = setTimeout;\n");
    plant(house, "packages/core/src/node.ts", 'export * from "node:fs";\n');
    plant(house, "packages/core/src/dynamic.ts", 'export const fs: unknown = import("node:fs");\n');
    plant(house, "packages/core/src/enum.ts", "export enum Kind {\n  A,\n}\n");
    plant(house, "packages/core/src/implicit.ts", "export const value = [1].map(String);\n");
  });
  afterAll(() => rmSync(house, { recursive: true }));

  test("shows core neither Node nor the web, and takes nothing that type stripping cannot run", () => {
    const { out } = run(house, "tsc", ["-p", "packages/core"]);
    const told = [...out.matchAll(/src\/([a-z]+)\.ts.*?error (TS\d+)/g)].map(([, file, code]) => `${file} ${code}`);
    expect(told.sort()).toEqual(["dynamic TS2591", "enum TS1294", "implicit TS9010", "node TS2591", "timer TS2304"]);
  });

  test("refuses a type test whose forbidden line compiles", () => {
    const line = (code: string) => `// @ts-expect-error must not compile\n${code}\n`;
    plant(house, "packages/core/src/holds.types.test.ts", line('export const a: number = "text";'));
    expect(run(house, "tsc", ["-p", "tsconfig.types.json"])).toEqual({ code: 0, out: "" });
    plant(house, "packages/core/src/broken.types.test.ts", line("export const a: number = 1;"));
    expect(run(house, "tsc", ["-p", "tsconfig.types.json"]).out).toMatch(/broken\.types\.test\.ts.*TS2578/);
  });
});

describe("knip", () => {
  test("tells an unused file, an unused export, an unlisted and an unused dependency", () => {
    const house = emptyHouse();
    plant(
      house,
      "packages/keys/src/index.ts",
      'import "canonicalize";\nimport "zod";\nexport { used } from "./part.ts";\n',
    );
    plant(house, "packages/keys/src/part.ts", "export const used = 1;\nexport const idle = 2;\n");
    plant(house, "packages/keys/src/orphan.ts", "export {};\n");
    const { out } = run(house, "knip", ["--reporter", "json", "--no-config-hints"]);
    rmSync(house, { recursive: true });
    const { issues } = JSON.parse(out.slice(out.indexOf("{"))) as {
      readonly issues: readonly Record<string, unknown>[];
    };
    const names = (file: string, kind: string) => {
      const list = issues.find((issue) => issue.file === file)?.[kind] as { readonly name: string }[] | undefined;
      return list?.map(({ name }) => name) ?? [];
    };
    expect(names("packages/keys/src/orphan.ts", "files")).toEqual(["packages/keys/src/orphan.ts"]);
    expect(names("packages/keys/src/part.ts", "exports")).toEqual(["idle"]);
    expect(names("packages/keys/src/index.ts", "unlisted")).toEqual(["zod"]);
    expect(names("packages/keys/package.json", "dependencies")).toContain("@scure/base");
    expect(names("packages/keys/package.json", "dependencies")).not.toContain("canonicalize");
  });
});

describe("the house rules", () => {
  const opened = "// What it is for.\n";
  const broken: readonly (readonly [rule: string, path: string, text: string])[] = [
    ["file-length", "scripts/long.ts", opened + "\n".repeat(400) + "export {};\n"],
    ["opening-sentence", "scripts/mute.ts", "export {};\n"],
    ["file-name", "packages/core/src/utils.ts", opened],
    ["file-name", "packages/core/src/twoWords.ts", opened],
    ["machine-path", "docs/start.md", ["see /wo", "rk/main/x"].join("")],
    ["version-range", "packages/core/package.json", '{"dependencies":{"yaml":"^2.9.1"}}'],
  ];

  test.each(broken)("%s is told for %s", (rule, path, text) => {
    expect(findings({ path, text }).map((finding) => finding.rule)).toEqual([rule]);
  });

  test("say nothing about what is in order", () => {
    expect(findings({ path: "scripts/short.ts", text: `${opened}export {};\n` })).toEqual([]);
    expect(findings({ path: "package.json", text: '{"dependencies":{"yaml":"2.9.1"}}' })).toEqual([]);
  });
});
