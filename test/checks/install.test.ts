// `npm test` on a machine where something is missing: it installs by itself, or says in plain words what it needs.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const scripts = fileURLToPath(new URL("../../scripts/", import.meta.url));
const lock = {
  packages: {
    "": {},
    "node_modules/yaml": { version: "2.9.1" },
    "node_modules/other-os": { version: "1.0.0", optional: true },
  },
};
let house: string;

beforeEach(() => {
  house = mkdtempSync(join(tmpdir(), "install-"));
  write("package-lock.json", JSON.stringify(lock));
  write("scripts/demo.ts", 'console.log("the demo runs");\n');
  for (const file of ["run.mjs", "install.mjs"]) cpSync(join(scripts, file), join(house, "scripts", file));
  // What npm would be found by, and nothing else.
  mkdirSync(join(house, "path"));
});

afterEach(() => rmSync(house, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), text);
}

/** An npm that tells how it was called and then does what the shell lines say. */
function npmThat(lines: string): void {
  write("path/npm", `#!/bin/sh\necho "npm $1"\ncd "${house}"\nPATH=/bin:/usr/bin\n${lines}\n`);
  chmodSync(join(house, "path/npm"), 0o755);
}

const bringsNode = `mkdir -p node_modules/.bin && ln -s "${process.execPath}" node_modules/.bin/node`;

function installed(version: string): void {
  const { "node_modules/yaml": yaml } = lock.packages;
  write("node_modules/.package-lock.json", JSON.stringify({ packages: { "node_modules/yaml": { ...yaml, version } } }));
}

function demo(script = "scripts/run.mjs"): { code: number | null; out: string; errors: string } {
  const { npm_execpath: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "demo"], {
    cwd: house,
    env: { ...env, PATH: join(house, "path") },
    encoding: "utf8",
  });
  return { code: status, out: stdout, errors: stderr };
}

test("nothing is installed: it says so, installs, and goes on", () => {
  npmThat(bringsNode);
  const { code, out } = demo();
  expect(out).toMatch(/nothing is installed yet[\s\S]*npm ci[\s\S]*using Node[\s\S]*the demo runs/);
  expect(code).toBe(0);
});

test("what is installed fits the lock file, but for another system's packages: npm is not asked", () => {
  installed("2.9.1");
  mkdirSync(join(house, "node_modules/.bin"));
  symlinkSync(process.execPath, join(house, "node_modules/.bin/node"));
  const { code, out } = demo();
  expect(out).not.toMatch(/npm/);
  expect(code).toBe(0);
});

test("another version is installed than the lock file says: it installs", () => {
  npmThat(bringsNode);
  installed("2.9.0");
  expect(demo().out).toMatch(/not what the lock file says[\s\S]*npm ci/);
});

test("npm has left out the install scripts: they are run", () => {
  npmThat(`[ "$1" = ci ] || { ${bringsNode}; }`);
  const { code, out } = demo();
  expect(out).toMatch(/npm ci[\s\S]*npm rebuild[\s\S]*the demo runs/);
  expect(code).toBe(0);
});

test("npm does not let install scripts run: it says which", () => {
  npmThat("true");
  const { code, errors } = demo();
  expect(errors).toMatch(/not the Node that comes with them[\s\S]*hint: the install scripts of `node`/);
  expect(code).toBe(1);
});

test("there is no npm: it says so", () => {
  const { code, errors } = demo();
  expect(errors).toMatch(/npm is not to be found[\s\S]*hint: /);
  expect(code).toBe(1);
});

test("there is no network: it says so", () => {
  npmThat('echo "npm error code ENOTFOUND" >&2; exit 1');
  const { code, errors } = demo();
  expect(errors).toMatch(/npm cannot reach its registry[\s\S]*hint: /);
  expect(code).toBe(1);
});

test("on Windows it says that WSL is needed, and does nothing", () => {
  npmThat(bringsNode);
  write(
    "windows.mjs",
    'Object.defineProperty(process, "platform", { value: "win32" });\nawait import("./scripts/run.mjs");\n',
  );
  const { code, out, errors } = demo("windows.mjs");
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(errors).toMatch(/does not run on Windows itself[\s\S]*hint: run this inside WSL/);
});
