// `npm run demo` and `npm test`: installs by itself, then runs under the checkout's own Node, whatever Node (20 or newer) starts it.
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installed, say } from "./install.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const oldest = 20;

/** The vitest projects: name, title, where the tests of each lie, and whether it is part of `npm test`. */
const suites = [
  {
    name: "unit",
    title: "units",
    place: /^packages\/(?!local\/|harness\/).*(?<!\.types|\.properties|\.long)\.test\.ts$/,
    basic: true,
  },
  {
    name: "processes",
    title: "units with real processes",
    place: /^packages\/(local|harness)\/.*(?<!\.types|\.properties|\.long)\.test\.ts$/,
    basic: true,
  },
  { name: "types", title: "types", place: /\.types\.test\.ts$/, basic: true },
  { name: "properties", title: "properties", place: /\.properties\.test\.ts$/, basic: true },
  { name: "simulation", title: "a short simulation", place: /^test\/simulation\//, basic: true },
  { name: "conformance", title: "conformance", place: /^test\/conformance\//, basic: true },
  {
    name: "machine",
    title: "the command on one machine",
    place: /^test\/machine\/.*(?<!\.long)\.test\.ts$/,
    basic: true,
  },
  {
    name: "provider",
    title: "the provider as a client starts it",
    place: /^test\/provider\/.*(?<!\.long)\.test\.ts$/,
    basic: true,
  },
  { name: "checks", title: "the checks' own tests", place: /^test\/checks\//, basic: false },
  { name: "pack", title: "the packed packages", place: /^test\/pack\//, basic: false },
  { name: "long", title: "the long rounds", place: /\.long\.test\.ts$/, basic: false },
  { name: "cluster", title: "a real cluster", place: /^test\/cluster\/(?!faults\/)/, basic: false },
  { name: "faults", title: "a real cluster that breaks", place: /^test\/cluster\/faults\//, basic: false },
];

try {
  process.exitCode = await main(process.argv[2], process.argv.slice(3));
} catch (error) {
  if (error.hint === undefined) throw error;
  process.stderr.write(`error: ${error.message}\nhint: ${error.hint}\n`);
  process.exitCode = 1;
}

async function main(what, args) {
  const chosen = suites.filter(({ name, basic }) => (what === "test" ? basic : what === "suite" && name === args[0]));
  if (what !== "demo" && what !== "cluster" && chosen.length === 0) {
    process.stderr.write(
      `usage: node scripts/run.mjs demo | test | cluster | suite ${suites.map(({ name }) => name).join("|")}\n`,
    );
    return 2;
  }
  if (Number.parseInt(process.versions.node, 10) < oldest) {
    process.stderr.write(`error: Node ${oldest} or newer is needed to begin, and this is ${process.version}.\n`);
    return 2;
  }
  const bin = await installed(root);
  const env = { ...process.env, PATH: [bin, process.env.PATH].filter(Boolean).join(delimiter) };
  const node = join(bin, "node");
  if (what === "demo") return run(node, [join(root, "scripts", "demo.ts"), ...args], env);
  if (what === "cluster") return run(node, [join(root, "test", "cluster", "main.ts"), ...args], env);
  if (what === "test") say("left out: what needs a real cluster (`npm run test:cluster`)");
  return runTests(node, env, chosen, what === "suite" ? args.slice(1) : args);
}

/** Ends with one plain line, `N passed, N failed`; a suite in which no test ran has failed. */
async function runTests(node, env, chosen, args) {
  say(`running ${chosen.map(({ title }) => title).join(", ")}`);
  const report = join(root, "build", `report-${process.pid}.json`);
  const projects = chosen.flatMap(({ name }) => ["--project", name]);
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporters = ["default", "json", join(root, "test", "guards", "second-tries.ts")].map(
    (name) => `--reporter=${name}`,
  );
  reporters.push(`--outputFile.json=${report}`);
  // Files on one cluster would wait for each other's pods, and those that stop its parts cannot run beside others at all.
  const alone = chosen.some(({ name }) => name === "cluster" || name === "faults") ? ["--no-file-parallelism"] : [];
  const code = await run(node, [vitest, "run", ...projects, ...reporters, ...alone, ...args], env);
  const files = testFiles(report);
  rmSync(report, { force: true });
  // With arguments only some of the files were asked for.
  const { passed, failed } = count(files, code, args.length === 0 ? chosen : []);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

function count(files, code, expected) {
  let passed = 0;
  let failed = 0;
  for (const file of files) {
    const failures = file.assertionResults.filter((test) => test.status === "failed").length;
    passed += file.assertionResults.filter((test) => test.status === "passed").length;
    failed += failures === 0 && file.status === "failed" ? 1 : failures;
  }
  for (const { title, place } of expected)
    if (!files.some((file) => place.test(file.name.slice(root.length)) && file.assertionResults.length > 0)) {
      say(`no test ran: ${title}`);
      failed += 1;
    }
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed };
}

function testFiles(report) {
  try {
    return JSON.parse(readFileSync(report, "utf8")).testResults;
  } catch {
    return [];
  }
}

/** Resolves to the exit code; signals from outside are handed on. */
function run(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, stdio: "inherit" });
    const pass = (signal) => child.kill(signal);
    for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, pass);
    // Ctrl-C reaches the child from the terminal: here it only must not end us first.
    process.on("SIGINT", () => {});
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  });
}
