// The packages as a stranger gets them: built, packed, installed into an empty folder and used from there.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const libraries = [
  "@moorage/agent",
  "@moorage/bundle",
  "@moorage/core",
  "@moorage/harness",
  "@moorage/keys",
  "@moorage/kubernetes",
  "@moorage/local",
];
let folder: string;

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

function run(command: string, args: readonly string[], cwd = folder, input = ""): Ran {
  const env = {
    ...process.env,
    HOME: folder,
    NODE_COMPILE_CACHE: undefined,
    XDG_CACHE_HOME: join(folder, "cache"),
    XDG_STATE_HOME: join(folder, "state"),
  };
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env,
    input,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return { code: status, out: stdout, errors: stderr };
}

/** npm keeps its own home: that is where its cache and its registry are set. */
function npm(args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8", maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pack-"));
  const built = spawnSync(process.execPath, ["scripts/build.ts"], { cwd: root, encoding: "utf8" });
  if (built.status !== 0) throw new Error(`the build failed:\n${built.stdout}${built.stderr}`);
  const tarballs = join(folder, "tarballs");
  mkdirSync(tarballs);
  const packages = join(root, "build", "packages");
  for (const name of readdirSync(packages))
    npm(["pack", "--pack-destination", tarballs, "--silent"], join(packages, name));
  writeFileSync(join(folder, "package.json"), '{ "name": "stranger", "private": true, "type": "module" }\n');
  const files = readdirSync(tarballs).map((file) => join(tarballs, file));
  npm(["install", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", ...files], folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every package brings its licence, its README, and nothing of the repository", () => {
  for (const name of [...libraries, "@moorage/provider", "moorage"]) {
    const at = join(folder, "node_modules", name);
    const files = readdirSync(at, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json", "dist"]));
    expect(
      files.filter((file) => /\.(?:test|fixture)\.|^(?!resources).*(?<!\.d)\.ts$|tsbuildinfo|^src/.test(file)),
    ).toEqual([]);
    const texts = files
      .filter((file) => /\.(?:c?js|json|d\.ts)$/.test(file))
      .map((file) => readFileSync(join(at, file), "utf8"));
    expect(texts.filter((text) => text.includes(root))).toEqual([]);
  }
});

test("the command stands alone and tells its version", () => {
  const at = join(folder, "node_modules", "moorage");
  const { version, dependencies } = JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as Record<
    string,
    unknown
  >;
  expect(dependencies).toBeUndefined();
  const told = run(join(folder, "node_modules", ".bin", "moorage"), ["version"]);
  expect(told).toMatchObject({ code: 0, errors: "" });
  expect(told.out).toContain(version);
});

test("the command starts, shows and stops an agent with nothing but its own files", () => {
  const moorage = join(folder, "node_modules", ".bin", "moorage");
  const started = run(moorage, ["deploy", "sleeper", "--json", "--", "sleep", "1000"]);
  expect(started).toMatchObject({ code: 0 });
  expect(JSON.parse(started.out)).toMatchObject({ kind: "DeployResult", agents: [{ outcome: "started" }] });
  const again = run(moorage, ["deploy", "sleeper", "--json", "--", "sleep", "1000"]);
  expect(JSON.parse(again.out)).toMatchObject({ agents: [{ outcome: "alreadyRunning" }] });
  expect(run(moorage, ["stop", "sleeper", "--json"])).toMatchObject({ code: 0 });
});

test("the provider is one file, which a client finds by its name and which answers alone", () => {
  const at = join(folder, "node_modules", "@moorage", "provider");
  const manifest = JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as Record<string, unknown>;
  expect(manifest["dependencies"]).toBeUndefined();
  expect(readdirSync(join(at, "dist"))).toEqual(["buzz-backend-moorage.cjs"]);
  const alone = join(folder, "alone", "buzz-backend-moorage");
  mkdirSync(join(folder, "alone"));
  // As in a folder of programs, which belongs to no package.
  writeFileSync(join(folder, "alone", "package.json"), "{}");
  cpSync(join(at, "dist", "buzz-backend-moorage.cjs"), alone);
  for (const program of [join(folder, "node_modules", ".bin", "buzz-backend-moorage"), alone]) {
    const info = run(program, [], folder, '{"op":"info"}');
    expect(info).toMatchObject({ code: 0, errors: "" });
    expect(JSON.parse(info.out)).toMatchObject({ ok: true, version: manifest["version"], protocol_version: 1 });
    const refused = run(program, [], folder, '{"op":"deploy","agent":{"auth_tag":"t"}}');
    expect(refused).toMatchObject({ code: 0, errors: "" });
    expect(JSON.parse(refused.out)).toMatchObject({ ok: false, error: expect.stringContaining("agent.relay_url") });
  }
});

test("the harness is one file that an image can copy, and it refuses to guess", () => {
  const file = join(folder, "node_modules", "@moorage", "harness", "dist", "harness.cjs");
  const alone = join(folder, "harness.cjs");
  cpSync(file, alone);
  const ran = run(process.execPath, [alone]);
  expect(ran.code).toBe(78);
  expect(ran.errors).toContain("moorage: MOORAGE_COMMAND is not set\n");
});

test.each([
  ["agent-base", "@moorage/harness"],
  ["moorage", "moorage"],
])("what the Dockerfile of %s copies is in the package", (image, name) => {
  const lines = readFileSync(join(root, "images", image, "Dockerfile"), "utf8").split("\n");
  const sources = lines.flatMap((line) => /^COPY (?!--from)(.*) \S+$/.exec(line)?.[1]?.split(" ") ?? []);
  expect(sources.length).toBeGreaterThan(0);
  for (const source of sources) expect(existsSync(join(folder, "node_modules", name, source)), source).toBe(true);
});

test("an old Node is told what is needed, before it reads anything that it cannot parse", () => {
  const first = join(folder, "node_modules", "moorage", "dist", "moorage.js");
  const pretend = join(folder, "pretend-old.mjs");
  writeFileSync(
    pretend,
    `Object.defineProperty(process.versions, "node", { value: "20.0.0" });\nawait import(${JSON.stringify(first)});\n`,
  );
  const { code, errors } = run(process.execPath, [pretend]);
  expect(code).toBe(2);
  expect(errors).toMatch(/Node 24 or newer is needed/);
});

test("JavaScript imports every library", () => {
  writeFileSync(
    join(folder, "use.js"),
    `const names = ${JSON.stringify(libraries)};
for (const name of names) console.log(name, Object.keys(await import(name)).length > 0);
const { connect } = await import("@moorage/agent");
const { classify } = await import("@moorage/core");
console.log(typeof connect, typeof classify);\n`,
  );
  const { code, out, errors } = run(process.execPath, ["use.js"]);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(out.trim().split("\n")).toEqual([...libraries.map((name) => `${name} true`), "function function"]);
});

test("TypeScript finds the types of every library", () => {
  const options = {
    module: "nodenext",
    target: "es2024",
    strict: true,
    noEmit: true,
    types: ["node"],
    skipLibCheck: false,
  };
  const typeRoots = [join(root, "node_modules", "@types")];
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...options, typeRoots }, files: ["use.ts"] }),
  );
  const imports = libraries
    .map((name, at) => `import * as library${at} from "${name}";\nvoid library${at};\n`)
    .join("");
  writeFileSync(
    join(folder, "use.ts"),
    `${imports}import { connect } from "@moorage/agent";
import { classify } from "@moorage/core";
const both: [typeof connect, typeof classify] = [connect, classify];
void both;
// @ts-expect-error no such thing is exported
import { nothing } from "@moorage/core";
void nothing;\n`,
  );
  const { code, out } = run(join(root, "node_modules", ".bin", "tsc"), ["-p", "."]);
  expect({ code, out }).toEqual({ code: 0, out: "" });
});
