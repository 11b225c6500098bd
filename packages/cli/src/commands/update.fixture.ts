/** For tests of updates: a working agent that does a turn ten times a second, or every PAUSE milliseconds, by what its catalog says, and writes down what it saw. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import * as z from "zod/mini";
import type { ResultKind } from "../json/shapes.ts";
import { resultShape } from "../json/shapes.ts";
import type { Here } from "../run.fixture.ts";

const sdk = new URL("../../../agent/src/index.ts", import.meta.url).href;

/** Each turn writes its process and the prompt. The words of the prompt decide: `crash`, `later`, `tell`. */
const program = `import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, isDraining } from ${JSON.stringify(sdk)};
let later = false;
await sleep(Number(process.env.DELAY ?? "0"));
const agent = await connect({ onStaged: (bundle) => (later ? "notNow" : undefined) });
try {
  for (;;) {
    await agent.turn(async ({ catalog }) => {
      const prompt = catalog.text("system.md").trim();
      later = prompt.includes("later");
      appendFileSync(process.env.SEEN, process.pid + " " + prompt + "\\n");
      if (prompt.includes("crash")) throw new Error("no such prompt: " + (prompt.includes("tell") ? process.env.API_KEY : prompt));
    });
    await sleep(Number(process.env.PAUSE ?? "100"));
  }
} catch (error) {
  if (!isDraining(error)) throw error;
}
agent.close();
`;

export interface AgentOptions {
  readonly more?: string;
  readonly env?: string;
}

/** A document of the declaration. All agents are of the fleet \`writers\` and share the folder \`prompts\`. */
export function agentDocument(name: string, { more = "", env = "" }: AgentOptions = {}): string {
  return `apiVersion: moorage.dev/v1alpha1
kind: Agent
metadata: { name: ${name} }
spec:
  fleet: writers
  run: { command: [node, agent.mts], files: [agent.mts] }
  env: { SEEN: ${name}.seen${env} }
  catalog: { path: ./prompts, trial: { bake: 1s } }
  drain: 1s
  grace: 3s
${more}`;
}

export function writeAgents({ folder }: Here, documents: readonly string[]): void {
  mkdirSync(join(folder, "prompts"), { recursive: true });
  writeFileSync(join(folder, "agent.mts"), program);
  writeFileSync(join(folder, "agent.yaml"), documents.join("---\n"));
}

export function writePrompt({ folder }: Here, text: string): void {
  writeFileSync(join(folder, "prompts", "system.md"), `${text}\n`);
}

/** What an agent saw last: its process, and the prompt of that turn. */
export function lastSeen({ folder }: Here, name: string): { readonly pid: string; readonly prompt: string } {
  const [last = ""] = readFileSync(join(folder, `${name}.seen`), "utf8")
    .trim()
    .split("\n")
    .slice(-1);
  const [pid = "", ...words] = last.split(" ");
  return { pid, prompt: words.join(" ") };
}

/** Until the condition holds; a condition that throws does not hold yet. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMs = 15_000,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    if (
      await Promise.resolve()
        .then(condition)
        .catch(() => false)
    )
      return;
    if (performance.now() > end) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Deployed with a first prompt. */
export async function started(
  here: Here,
  documents: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  writeAgents(here, documents);
  writePrompt(here, "be kind");
  expect(await here.run(["deploy"], { env })).toMatchObject({ exit: 0 });
}

/** The objects of a call with `--json`, each of its shape. */
export async function json(
  here: Here,
  argv: readonly string[],
  kind: ResultKind,
): Promise<{ readonly exit: number; readonly all: object[] }> {
  const ran = await here.run([...argv, "--json"]);
  const all = ran.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as object);
  for (const one of all) expect(z.safeParse(resultShape(kind), one).error?.issues ?? []).toEqual([]);
  return { exit: ran.exit, all };
}

/** Nothing is on trial any more. */
export async function settled(here: Here, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    await until(`${name} is settled`, async () => {
      const { all } = await json(here, ["update", "status", name], "UpdateStatus");
      return JSON.stringify(all).includes('"state":"confirmed"');
    });
}
