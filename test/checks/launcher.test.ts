// The checkout's launcher under a Node that is too old: it goes on under the checkout's own, and nothing of the call gets lost.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const launcher = fileURLToPath(new URL("../../packages/cli/bin/moorage.mjs", import.meta.url));
let house: string;

/** Tells its arguments and Node, then ends as its first argument says. */
const stub = `
const [how] = process.argv.slice(2);
if (how === "exit") process.exitCode = 7;
if (how === "wait") {
  process.on("SIGTERM", () => process.exit(9));
  setInterval(() => {}, 1000);
}
console.log(JSON.stringify({ args: process.argv.slice(2), version: process.versions.node, path: process.env.PATH }));
if (how === "die") process.kill(process.pid, "SIGKILL");
`;

beforeEach(() => {
  house = mkdtempSync(join(tmpdir(), "launcher-"));
  write("packages/cli/src/main.ts", stub);
  write("packages/cli/package.json", '{ "type": "module" }');
  mkdirSync(join(house, "packages/cli/bin"));
  cpSync(launcher, join(house, "packages/cli/bin/moorage.mjs"));
  write(
    "old.mjs",
    'Object.defineProperty(process.versions, "node", { value: "20.0.0" });\nawait import("./packages/cli/bin/moorage.mjs");\n',
  );
});

afterEach(() => rmSync(house, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), text);
}

function bringNode(): void {
  mkdirSync(join(house, "node_modules/node/bin"), { recursive: true });
  symlinkSync(process.execPath, join(house, "node_modules/node/bin/node"));
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ["old.mjs", ...args], { cwd: house, stdio: ["ignore", "pipe", "pipe"] });
}

async function ended(
  child: ChildProcess,
): Promise<{ code: number | null; signal: string | null; out: string; errors: string }> {
  let out = "";
  let errors = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { code, signal, out, errors };
}

test("hands over arguments, exit code, and its own Node first on PATH", async () => {
  bringNode();
  const { code, out, errors } = await ended(start(["exit", "--a b", ""]));
  expect({ code, errors }).toEqual({ code: 7, errors: "" });
  const told = JSON.parse(out) as { args: string[]; version: string; path: string };
  expect(told.args).toEqual(["exit", "--a b", ""]);
  expect(told.version).toBe(process.versions.node);
  expect(told.path.split(":")[0]).toBe(join(house, "node_modules/node/bin"));
});

test("hands a signal on, and waits for the end that it brings", async () => {
  bringNode();
  const child = start(["wait"]);
  const end = ended(child);
  if (child.stdout !== null) await once(child.stdout, "data");
  child.kill("SIGTERM");
  expect(await end).toMatchObject({ code: 9, signal: null });
});

test("ends by the signal that ended what it started", async () => {
  bringNode();
  expect(await ended(start(["die"]))).toMatchObject({ code: null, signal: "SIGKILL" });
});

test("says clearly what is missing where there is no Node of its own", async () => {
  const { code, out, errors } = await ended(start(["exit"]));
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(errors).toMatch(/Node 24 or newer is needed[\s\S]*hint: run `npm ci`/);
});
