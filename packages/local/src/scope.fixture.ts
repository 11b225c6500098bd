/** Scopes over state directories of their own for tests, with real supervisors and agents that are proved gone afterwards. */
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Identity, InstanceSpec, ObservedInstance, ProcessTemplate, SecretSpec, Substrate } from "@moorage/core";
import {
  instanceMarks,
  instanceName,
  moorageProfile,
  nameIdentity,
  parseAttempt,
  secretMarks,
  secretName,
} from "@moorage/core";
import { awakeClock } from "@moorage/harness";
import { sha256, systemRandom } from "@moorage/keys";
import { afterEach, beforeEach, vi } from "vitest";
import { databasePath } from "./database.ts";
import type { Status } from "./instance-row.ts";
import { openScope } from "./open-scope.ts";
import type { Scope, ScopeOptions } from "./scope.ts";

const waitsMs = 45_000;

/** For `vi.setConfig`: each of these tests boots processes, on machines that may be busy. */
export const patience = { testTimeout: 90_000, hookTimeout: 90_000 } as const;

/** A temporary directory whose every process can be found: the path is in their command lines or environments. */
export interface Place {
  readonly directory: string;
  readonly stateDir: string;
  open(options?: Partial<ScopeOptions>): Promise<Scope>;
  /** Ends every process that knows of this place, and closes every scope. */
  end(): Promise<void>;
  /** The same, and removes the place. */
  clear(): Promise<void>;
}

export function makePlace(): Place {
  enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/moorage", import.meta.url)));
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "ml-")));
  const stateDir = join(directory, "state");
  const scopes: Scope[] = [];
  return {
    directory,
    stateDir,
    async open(options = {}) {
      const scope = await openScope({
        stateDir,
        mode: "write",
        launchEnv: { PATH: process.env["PATH"] ?? "", HOME: directory, TMPDIR: directory },
        clock: awakeClock(),
        random: systemRandom,
        registryDir: join(directory, "registry"),
        ...options,
      });
      scopes.push(scope);
      return scope;
    },
    async end() {
      for (let found = processesOf(directory); found.length > 0; found = processesOf(directory))
        for (const pid of found) endNow(pid);
      for (const scope of scopes.splice(0)) {
        await scope.settled();
        scope.close();
      }
      await until(
        () => "its processes are gone",
        () => processesOf(directory).length === 0,
      );
    },
    async clear() {
      await this.end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/**
 * A place with an open scope for each test of a file, with the patience that it takes. What a test puts into the list that
 * it gives back is killed and collected, before the place is cleared.
 */
export function scopeForEach(use: (place: Place, scope: Scope) => void): ChildProcess[] {
  vi.setConfig(patience);
  const started: ChildProcess[] = [];
  let place: Place;
  beforeEach(async () => {
    place = makePlace();
    use(place, await place.open());
  });
  afterEach(async () => {
    await endCallers(started);
    await place.clear();
  });
  return started;
}

/** Kills them, and resolves when they are gone. */
export async function endCallers(started: ChildProcess[]): Promise<void> {
  await Promise.all(
    started.splice(0).map(async (child) => {
      const gone = child.exitCode !== null || child.signalCode !== null;
      child.kill("SIGKILL");
      if (!gone) await new Promise((resolve) => child.once("exit", resolve));
    }),
  );
}

/** An agent named `name`, as core would create it. */
export interface TestAgent {
  readonly identity: Identity;
  readonly instance: string;
  readonly secret: SecretSpec;
  readonly spec: InstanceSpec & { readonly template: ProcessTemplate };
}

export function testAgent(
  name: string,
  command: readonly [string, ...string[]],
  template: Partial<ProcessTemplate> = {},
): TestAgent {
  const identity = nameIdentity(name, sha256);
  const attempt = parseAttempt(systemRandom.token(16));
  if (attempt === undefined) throw new Error("no attempt");
  const secret = secretName(moorageProfile, identity, attempt);
  return {
    identity,
    instance: instanceName(moorageProfile, identity),
    secret: {
      name: secret,
      data: new Map([["API_KEY", "planted-value"]]),
      ...secretMarks(moorageProfile, identity, 90),
    },
    spec: {
      name: instanceName(moorageProfile, identity),
      secret,
      template: {
        kind: "process",
        command,
        directory: "/",
        buildId: "build",
        env: { COLOUR: "red" },
        secretKeys: ["API_KEY"],
        drainMs: 200,
        graceMs: 2_000,
        idleMs: null,
        health: { kind: "none" },
        catalog: null,
        identityKey: null,
        ...template,
      },
      ...instanceMarks(moorageProfile, identity, `m1:${"a".repeat(64)}`, { name }),
    },
  };
}

/** Creates it and waits until its own program runs. */
export async function startTestAgent(scope: Scope, agent: TestAgent): Promise<ObservedInstance> {
  const secret = await scope.substrate.createSecret(agent.secret);
  if (secret.kind !== "created") throw new Error(`its Secret: ${secret.kind}`);
  const created = await scope.substrate.createInstance(agent.spec);
  if (created.kind !== "created") throw new Error(JSON.stringify(created));
  return untilState(scope.substrate, agent, "running");
}

export async function untilState(substrate: Substrate, agent: TestAgent, state: string): Promise<ObservedInstance> {
  let last: ObservedInstance | null = null;
  await until(
    () => `${agent.instance} is ${state}, and not ${JSON.stringify(last)}`,
    async () => {
      last = await look(substrate, agent);
      return (last?.evidence.container.state ?? "absent") === state;
    },
  );
  if (last === null) throw new Error("nothing is there");
  return last;
}

export async function untilAbsent(substrate: Substrate, agent: TestAgent): Promise<void> {
  await until(
    () => `${agent.instance} is absent`,
    async () => (await look(substrate, agent)) === null,
  );
}

export async function look(substrate: Substrate, agent: TestAgent): Promise<ObservedInstance | null> {
  const reading = await substrate.readInstances(agent.identity);
  if (reading.kind !== "read") throw new Error(JSON.stringify(reading));
  return reading.instances[0] ?? null;
}

export async function present(scope: Scope, agent: TestAgent): Promise<ObservedInstance> {
  const observed = await look(scope.substrate, agent);
  if (observed === null) throw new Error("nothing is there");
  return observed;
}

export async function pidsOf(scope: Scope, agent: TestAgent): Promise<{ agent: number; supervisor: number }> {
  const [facts] = await scope.facts([agent.instance]);
  if (facts === undefined || facts.pid === null || facts.supervisor.pid === null) throw new Error("it does not run");
  return { agent: facts.pid, supervisor: facts.supervisor.pid };
}

/** Deletes what a read shows now; the kind of the answer, or of the refusal. */
export async function remove(scope: Scope, agent: TestAgent): Promise<string> {
  const { fence } = await present(scope, agent);
  const removal = await scope.substrate.deleteInstance(agent.instance, fence);
  return removal.kind === "refused" ? removal.refusal.kind : removal.kind;
}

/** What an instance's supervisor has on record is another from now on, behind everybody's back. The place has that one alone. */
export function forgeStatus<S extends Status>(place: Place, change: (status: S) => Status): void {
  const database = new DatabaseSync(databasePath(place.stateDir));
  const status = JSON.parse(String(database.prepare("SELECT status FROM instances").get()?.["status"])) as S;
  database.prepare("UPDATE instances SET status = ?").run(JSON.stringify(change(status)));
  database.close();
}

/** Waits for a condition of the world, with a deadline. */
export async function until(what: () => string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + waitsMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${waitsMs} ms: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Whether a process lives: a zombie does not. */
export function lives(pid: number): boolean {
  const stat = readable(`/proc/${pid}/stat`);
  return stat !== "" && !["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3));
}

/** Processes, zombies aside, whose command line or environment names the text. */
export function processesOf(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && lives(Number(name)))
    .filter((pid) => readable(`/proc/${pid}/cmdline`).includes(text) || readable(`/proc/${pid}/environ`).includes(text))
    .map(Number);
}

export function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It was faster.
  }
}

function readable(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}
