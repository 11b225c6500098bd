// `npm run demo` and `npm test`: installs by itself, then runs under the checkout's own Node, whatever Node (20 or newer) starts it.
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installed, say } from "./install.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const oldest = 20;

/** What `npm test` is, by vitest project, and where the tests of each lie. */
const layers = [
  ["unit", "units", /^packages\/.*(?<!\.types|\.properties)\.test\.ts$/],
  ["types", "types", /\.types\.test\.ts$/],
  ["properties", "properties", /\.properties\.test\.ts$/],
  ["simulation", "a short simulation", /^test\/simulation\//],
  ["conformance", "conformance", /^test\/conformance\//],
  ["machine", "the command on one machine", /^test\/machine\//],
];

try {
  process.exitCode = await main(process.argv[2], process.argv.slice(3));
} catch (error) {
  if (error.hint === undefined) throw error;
  process.stderr.write(`error: ${error.message}\nhint: ${error.hint}\n`);
  process.exitCode = 1;
}

async function main(what, args) {
  const runs = { demo: runDemo, test: runTests };
  if (!Object.hasOwn(runs, what ?? "")) {
    process.stderr.write("usage: node scripts/run.mjs demo|test\n");
    return 2;
  }
  if (Number.parseInt(process.versions.node, 10) < oldest) {
    process.stderr.write(`error: Node ${oldest} or newer is needed to begin, and this is ${process.version}.\n`);
    return 2;
  }
  const bin = await installed(root);
  const env = { ...process.env, PATH: [bin, process.env.PATH].filter(Boolean).join(delimiter) };
  return runs[what](join(bin, "node"), env, args);
}

function runDemo(node, env, args) {
  return run(node, [join(root, "scripts", "demo.ts"), ...args], env);
}

/** Ends with one plain line, `N passed, N failed`; a layer in which no test ran has failed. */
async function runTests(node, env, args) {
  say(`running ${layers.map(([, title]) => title).join(", ")}`);
  const report = join(root, "build", "test-report.json");
  rmSync(report, { force: true });
  const projects = layers.flatMap(([project]) => ["--project", project]);
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const code = await run(node, [vitest, "run", ...projects, ...reporters, ...args], env);
  const { passed, failed } = count(report, code, args.length === 0);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

function count(report, code, whole) {
  const files = testFiles(report);
  let passed = 0;
  let failed = 0;
  for (const file of files) {
    const failures = file.assertionResults.filter((test) => test.status === "failed").length;
    passed += file.assertionResults.filter((test) => test.status === "passed").length;
    failed += failures === 0 && file.status === "failed" ? 1 : failures;
  }
  if (whole)
    for (const [, title, place] of layers)
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
