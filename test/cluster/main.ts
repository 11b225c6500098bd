/** `npm run test:cluster`: brings a cluster up, runs the tests that need one, and takes it down; says what it leaves out where that cannot be. */
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { places } from "./places.ts";
import { answers, down, up } from "./up/cluster.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(args: readonly string[]): Promise<number> {
  if (process.env["MOORAGE_CLUSTER"] === "yes") {
    say("running on the cluster of KUBECONFIG; what stops, pauses or cuts its parts is left out");
    return suite(args, {});
  }
  const lacks = whatLacks();
  if (lacks !== null) {
    say(`left out: everything that needs a real cluster, because ${lacks}.`);
    say(
      "To run it on a cluster of yours, in namespaces of its own: MOORAGE_CLUSTER=yes KUBECONFIG=… MOORAGE_CLUSTER_IMAGE=…",
    );
    return 0;
  }
  const { layout, binaries } = places(process.env, homedir());
  const kept = await answers(layout);
  try {
    if (!kept) {
      const began = performance.now();
      await up(layout, { nodes: 1, binaries, apiFlags: [], say });
      say(`a cluster of one node is up after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    }
    return await suite(args, { MOORAGE_CLUSTER_DIR: layout.dir });
  } finally {
    if (!kept) await down(layout);
  }
}

function whatLacks(): string | null {
  if (process.platform !== "linux") return "that needs Linux";
  return process.getuid?.() === 0 ? null : "that needs root";
}

function suite(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["scripts/run.mjs", "suite", "cluster", ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: "inherit",
    });
    // Whoever interrupts means the tests; the cluster is taken down after them.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(`the cluster: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
