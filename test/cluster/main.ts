/** `npm run test:cluster`: brings clusters up, runs the tests that need one, and takes them down; says what it leaves out where that cannot be. */
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { places } from "./places.ts";
import { answers, down, up } from "./up/cluster.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Each on a cluster of its own, both at once: what breaks parts of a cluster mostly waits for them. */
const suites = ["cluster", "faults"] as const;
type Suite = (typeof suites)[number];

async function main(args: readonly string[]): Promise<number> {
  if (process.env["MOORAGE_CLUSTER"] === "yes") {
    say("running on the cluster of KUBECONFIG; what stops, pauses or cuts its parts is left out");
    return tell([await run("cluster", args, {})]);
  }
  const lacks = whatLacks();
  if (lacks !== null) {
    say(`left out: everything that needs a real cluster, because ${lacks}.`);
    say(
      "To run it on a cluster of yours, in namespaces of its own: MOORAGE_CLUSTER=yes KUBECONFIG=… MOORAGE_CLUSTER_IMAGE=…",
    );
    return 0;
  }
  const wanted = suites.filter((suite) => args.length === 0 || args.some((path) => isOf(suite, path)));
  return tell(
    await Promise.all(
      wanted.map((suite) =>
        onItsCluster(
          suite,
          args.filter((path) => isOf(suite, path)),
        ),
      ),
    ),
  );
}

/** Which suite a path given by hand belongs to; what is no path goes to both. */
function isOf(suite: Suite, path: string): boolean {
  return !path.startsWith("test/") || path.startsWith("test/cluster/faults") === (suite === "faults");
}

async function onItsCluster(suite: Suite, args: readonly string[]): Promise<Ran> {
  const number = Number(process.env["MOORAGE_CLUSTER_NUMBER"] ?? 0) + suites.indexOf(suite);
  const own = { MOORAGE_CLUSTER_NUMBER: String(number) };
  const named = suite === "cluster" ? process.env["MOORAGE_CLUSTER_DIR"] : undefined;
  const env = { ...process.env, ...own, MOORAGE_CLUSTER_DIR: named };
  const { layout, binaries } = places(env, homedir());
  const kept = await answers(layout);
  try {
    if (!kept) {
      const began = performance.now();
      await up(layout, { nodes: 1, binaries, apiFlags: [], say });
      say(`a cluster for ${suite} is up after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    }
    return await run(suite, args, { ...own, MOORAGE_CLUSTER_DIR: layout.dir });
  } finally {
    if (!kept) await down(layout);
  }
}

function whatLacks(): string | null {
  if (process.platform !== "linux") return "that needs Linux";
  return process.getuid?.() === 0 ? null : "that needs root";
}

interface Ran {
  readonly code: number;
  /** Null: it did not come to its last line. */
  readonly counted: { readonly passed: number; readonly failed: number } | null;
}

/** Each line of its output is told with the suite in front: two run at once. */
function run(suite: Suite, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["scripts/run.mjs", "suite", suite, ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let counted: Ran["counted"] = null;
    const hear = (line: string): void => {
      process.stdout.write(`${suite} | ${line}\n`);
      const total = /^(\d+) passed, (\d+) failed$/.exec(line);
      if (total !== null) counted = { passed: Number(total[1]), failed: Number(total[2]) };
    };
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", hear);
    // Whoever interrupts means the tests; the cluster is taken down after them.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, counted }));
  });
}

/** Ends with one plain line that adds up both. */
function tell(all: readonly Ran[]): number {
  let [passed, failed] = [0, 0];
  for (const { code, counted } of all) {
    passed += counted?.passed ?? 0;
    failed += Math.max(counted?.failed ?? 1, code === 0 ? 0 : 1);
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(`the cluster: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
