/** A caller of its own process for the suite on one machine: starts or stops, may die at a request, may have a supervisor that never comes. */

import type { StartOutcome, StopOutcome } from "@moorage/core";
import { createAbort, startAgent, stopAgent } from "@moorage/core";
import { sha256, systemRandom } from "@moorage/keys";
import { awakeClock, openScope } from "@moorage/local";
import type { Ask, Death } from "./bench.ts";
import { dyingAt } from "./dying-at.ts";
import { startRequestOf, subjectOf } from "./local-agent.ts";

export interface CallerTask {
  readonly kind: "start" | "stop";
  readonly stateDir: string;
  readonly directory: string;
  readonly agent: string;
  readonly ask: Ask;
  readonly deadlineMs: number;
  readonly death: Death | null;
  /** The supervisor that it boots; null: the real one. */
  readonly supervisor: readonly [string, ...string[]] | null;
  /** Stays, and holds what it holds, until it is killed. */
  readonly stays: boolean;
}

const task = JSON.parse(process.argv[2] ?? "") as CallerTask;
const outcome = await run(task);
process.stdout.write(`${JSON.stringify(outcome)}\n`);
if (task.stays) setInterval(() => undefined, 60_000);

async function run({
  kind,
  stateDir,
  directory,
  agent,
  ask,
  deadlineMs,
  death,
  supervisor,
}: CallerTask): Promise<StartOutcome | StopOutcome> {
  const clock = awakeClock();
  const scope = await openScope({
    stateDir,
    mode: "write",
    launchEnv: { PATH: process.env["PATH"] ?? "", HOME: directory, TMPDIR: directory },
    clock,
    random: systemRandom,
    registryDir: null,
    ...(supervisor === null ? {} : { supervisor }),
  });
  const substrate = death === null ? scope.substrate : dyingAt(scope.substrate, death);
  const journal = { append: (): void => undefined };
  const ports = { substrate, clock, random: systemRandom, journal, signal: createAbort().signal };
  const outcome =
    kind === "start"
      ? await startAgent({ ...startRequestOf(agent, ask), deadlineMs }, { ...ports, digest: sha256 })
      : await stopAgent(subjectOf(agent, deadlineMs), ports);
  if (!task.stays) {
    await scope.settled();
    scope.close();
  }
  return outcome;
}
