/** `npm run mutations`: breaks every rule of the list, one at a time, in a copy of core, and sees that something notices. */
import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundlesInUse } from "./bundles-in-use.ts";
import { bundlesOnTheirWay } from "./bundles-on-their-way.ts";
import { carryingOut } from "./carrying-out.ts";
import { coldMove } from "./cold-move.ts";
import { decision } from "./decision.ts";
import { identityAndObservation } from "./identity-and-observation.ts";
import { loop } from "./loop.ts";
import { mailbox } from "./mailbox.ts";
import type { Mutation } from "./mutation.ts";
import { secretsAndLeftovers } from "./secrets-and-leftovers.ts";
import { stopAndRevive } from "./stop-and-revive.ts";
import { whatAnUpdateMayDo } from "./what-an-update-may-do.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const mutations = [
  ...identityAndObservation,
  ...decision,
  ...loop,
  ...secretsAndLeftovers,
  ...stopAndRevive,
  ...whatAnUpdateMayDo,
  ...bundlesOnTheirWay,
  ...bundlesInUse,
  ...coldMove,
  ...carryingOut,
  ...mailbox,
];
const histories = 3_000;
const fleetHistories = 500;
/** Milliseconds for one mutation: a loop that never ends is noticed as well. */
const patienceMs = 60_000;

type Verdict = "caught" | "survived" | "not found" | "ambiguous";

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const chosen = mutations.filter(({ rule, file }) =>
    words.every((word) => rule.includes(word) || file.includes(word)),
  );
  const began = performance.now();
  if (!(await controls(chosen))) return 1;
  const queue = [...chosen.entries()];
  const verdicts = new Map<number, Verdict>();
  await Promise.all(Array.from({ length: availableParallelism() }, () => work(queue, verdicts)));
  const failed = [...verdicts].filter(([, verdict]) => verdict !== "caught").sort(([a], [b]) => a - b);
  for (const [index, verdict] of failed) {
    const { rule, file, by } = chosen[index] as Mutation;
    process.stdout.write(`${verdict}: ${rule} (${file}; ${by} should notice)\n`);
  }
  const took = ((performance.now() - began) / 1_000).toFixed(0);
  process.stdout.write(`${chosen.length - failed.length} of ${chosen.length} mutations caught in ${took} s\n`);
  return failed.length === 0 && chosen.length > 0 ? 0 : 1;
}

/** Nothing is broken yet: whoever notices something now would notice it in every mutation. */
async function controls(chosen: readonly Mutation[]): Promise<boolean> {
  const sandbox = await makeSandbox();
  try {
    const commands = new Set(chosen.map((one) => commandOf(one).join(" ")));
    for (const command of commands) {
      if (await passes(sandbox, command.split(" "))) continue;
      process.stdout.write(`${command} fails although nothing is mutated\n`);
      return false;
    }
    return true;
  } finally {
    await rm(sandbox, { recursive: true, force: true });
  }
}

/** Works through the queue in a sandbox of its own. */
async function work(queue: [number, Mutation][], verdicts: Map<number, Verdict>): Promise<void> {
  const sandbox = await makeSandbox();
  try {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, mutation] = next;
      const began = performance.now();
      const verdict = await judge(sandbox, mutation);
      verdicts.set(index, verdict);
      const took = ((performance.now() - began) / 1_000).toFixed(1).padStart(5);
      process.stdout.write(`${verdict.padEnd(9)} ${took} s  ${mutation.by.padEnd(10)} ${mutation.rule}\n`);
    }
  } finally {
    await rm(sandbox, { recursive: true, force: true });
  }
}

/** A copy of core and of the simulation, with the checkout's own dependencies. */
async function makeSandbox(): Promise<string> {
  const sandbox = await mkdtemp(join(tmpdir(), "moorage-mutations-"));
  const modules = join(root, "node_modules");
  await mkdir(join(sandbox, "node_modules", "@moorage"), { recursive: true });
  for (const name of await readdir(modules))
    if (name !== "@moorage") await symlink(join(modules, name), join(sandbox, "node_modules", name));
  await symlink(join(sandbox, "packages", "core"), join(sandbox, "node_modules", "@moorage", "core"));
  await cp(join(root, "packages", "core"), join(sandbox, "packages", "core"), {
    recursive: true,
    filter: (path) => !path.includes("node_modules"),
  });
  await cp(join(root, "test", "simulation"), join(sandbox, "test", "simulation"), { recursive: true });
  for (const file of ["tsconfig.base.json", "tsconfig.types.json"]) await cp(join(root, file), join(sandbox, file));
  await writeFile(join(sandbox, "package.json"), JSON.stringify({ type: "module", private: true }));
  await writeFile(
    join(sandbox, "vitest.config.ts"),
    'export default { test: { include: ["packages/core/src/**/*.test.ts"], exclude: ["**/*.types.test.ts"], bail: 1, testTimeout: 120_000, pool: "threads", maxWorkers: 1, isolate: false } };\n',
  );
  return sandbox;
}

async function judge(sandbox: string, mutation: Mutation): Promise<Verdict> {
  const { file, find, replace } = mutation;
  const path = join(sandbox, "packages", "core", "src", file);
  const original = await readFile(path, "utf8");
  const parts = original.split(find);
  if (parts.length !== 2) return parts.length < 2 ? "not found" : "ambiguous";
  await writeFile(path, parts.join(replace));
  try {
    return (await passes(sandbox, commandOf(mutation))) ? "survived" : "caught";
  } finally {
    await writeFile(path, original);
  }
}

function commandOf({ by, file, tests }: Pick<Mutation, "by" | "file" | "tests">): string[] {
  switch (by) {
    case "simulation":
      return simulated("starts", histories);
    case "updates":
      return simulated("updates", fleetHistories);
    case "unit":
      return ["node_modules/vitest/vitest.mjs", "run", ...(tests ?? [`${dirname(file)}/`]).map(inCore)];
    case "types":
      return ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json"];
    default:
      return by satisfies never;
  }
}

function simulated(kind: string, count: number): string[] {
  return `test/simulation/main.ts --kind ${kind} --seed 1 --histories ${count} --workers 1 --short`.split(" ");
}

function inCore(path: string): string {
  return join("packages/core/src", path);
}

function passes(sandbox: string, command: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...command], {
      cwd: sandbox,
      stdio: "ignore",
      timeout: patienceMs,
      killSignal: "SIGKILL",
    });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code === 0));
  });
}
