/** The bench over the in-memory substrate: virtual time, real loops, a model of nodes. */
import type { Hint, StartOutcome, StopOutcome, Substrate } from "@moorage/core";
import { secretName } from "@moorage/core";
import type { Agent } from "../simulation/agents.ts";
import { agentNamed, profile } from "../simulation/agents.ts";
import type { Caller, Surroundings } from "../simulation/caller.ts";
import { call, realLoops } from "../simulation/caller.ts";
import { chanceOf } from "../simulation/chance.ts";
import * as evidence from "../simulation/evidence.ts";
import type { Fate } from "../simulation/fate.ts";
import { healthy } from "../simulation/fate.ts";
import type { Crash, History, Planted as PlantedInWorld, StartStep, StopStep } from "../simulation/history.ts";
import { MemoryStore } from "../simulation/memory-store.ts";
import { memorySubstrate } from "../simulation/memory-substrate.ts";
import { Nodes } from "../simulation/nodes.ts";
import { Promises } from "../simulation/promises.ts";
import { createScheduler } from "../simulation/scheduler.ts";
import { Wire } from "../simulation/wire.ts";
import { happen } from "../simulation/world.ts";
import type { Ask, Behaviour, Bench, Fixture, Planted } from "./bench.ts";

const patienceMs = 3_600_000;
const long = 3_000_000;

export const memory: Fixture = { name: "memory", starts: 64, exceptions: {}, make: () => Promise.resolve(makeBench()) };

function makeBench(): Bench {
  const agent = agentNamed("scribe");
  const history: History = { seed: 1, scopeExists: true, steps: [], faults: { kind: "given", list: [] } };
  const scheduler = createScheduler();
  const store = new MemoryStore({ now: scheduler.now, epoch: Date.UTC(2026, 0, 1), scopeExists: true });
  const promises = new Promises(scheduler.now);
  const weather = { outage: false, refusal: null };
  let fate: Fate = healthy;
  const nodes = new Nodes({ store, scheduler, witness: promises, fate: () => fate, chance: (nth) => chanceOf(1, nth) });
  const around: Surroundings = {
    history,
    scheduler,
    store,
    nodes,
    promises,
    weather,
    loops: realLoops,
    calm: true,
    madeAt: () => scheduler.now(),
    tell: () => undefined,
  };
  const world = { store, nodes, scheduler, weather, planted: new Set<string>() };
  let callers = 0;

  const startStep = (ask: Ask, crash: Crash | null = null): StartStep => ({
    kind: "start",
    at: scheduler.now(),
    caller: (callers += 1),
    agent: 0,
    deadlineMs: ask.deadlineMs ?? 600_000,
    crash,
    variant: ask.variant ?? 0,
    settleMs: ask.settleMs ?? 0,
    scheme: "m1",
  });
  const stopStep = (deadlineMs: number, crash: Crash | null = null): StopStep => {
    const { variant: _variant, settleMs: _settleMs, scheme: _scheme, ...common } = startStep({ deadlineMs }, crash);
    return { ...common, kind: "stop" };
  };
  const over = async (...callersOf: readonly Caller[]): Promise<void> => {
    await scheduler.run(() => callersOf.every((caller) => caller.isOver()), scheduler.now() + patienceMs);
  };
  const ask = async (step: StartStep | StopStep): Promise<StartOutcome | StopOutcome> => {
    const caller = call(around, step, agent);
    await over(caller);
    return caller.outcomes[0] ?? fail(`${step.kind} never answered`);
  };
  const asStart = (outcome: StartOutcome | StopOutcome): StartOutcome => outcome as StartOutcome;
  const withFate = async (one: Partial<Fate>, deadlineMs: number): Promise<void> => {
    fate = { ...healthy, ...one };
    await ask(startStep({ deadlineMs }));
    fate = healthy;
  };

  return {
    agent: agent.agent,
    identity: agent.identity,
    name: agent.name,
    substrate: driven(around),
    secretValue: "not-a-real-value",
    async start(asked = {}) {
      fate = fateOf(asked.behaviour ?? "runs");
      const outcome = asStart(await ask(startStep(asked)));
      fate = healthy;
      return outcome;
    },
    async startAll(asks) {
      const all = asks.map((one) => call(around, startStep(one), agent));
      await over(...all);
      return all.map(({ outcomes }) => asStart(outcomes[0] ?? fail("a start never answered")));
    },
    stop: async (deadlineMs = 600_000) => (await ask(stopStep(deadlineMs))) as StopOutcome,
    async startAndDie({ request, after }) {
      const caller = call(around, startStep({}, { operation: request, after }), agent);
      await over(caller);
      return caller.wire.dead;
    },
    async stopAndDie({ request, after }) {
      const caller = call(around, stopStep(600_000, { operation: request, after }), agent);
      await over(caller);
      return caller.wire.dead;
    },
    async plant(state) {
      await plant(state, { withFate, stop: () => ask(stopStep(0)), nodes, store, agent });
      await scheduler.run(() => false, scheduler.now() + 5_000);
    },
    plantForeign: (what) =>
      Promise.resolve(happen(world, agent, { kind: "plant", what: what satisfies PlantedInWorld })),
    removeSecret: () => Promise.resolve(happen(world, agent, { kind: "removeSecret" })),
    alive: () => Promise.resolve(promises.alive(agent.identity)),
    async until(what, holds) {
      for (let turn = 0; turn < 1_000; turn += 1) {
        if (await holds()) return;
        await scheduler.run(() => false, scheduler.now() + 100);
      }
      fail(what);
    },
    end() {
      const [broken] = promises.violations;
      if (broken !== undefined) fail(`${broken.promise}: ${broken.message}`);
      return Promise.resolve();
    },
  };
}

function fateOf(behaviour: Behaviour): Fate {
  switch (behaviour) {
    case "runs":
      return healthy;
    case "endsAtOnce":
      return { ...healthy, exit: { afterMs: 300, ending: evidence.ending("exited", 7) } };
    case "endsSlowly":
      return { ...healthy, graceMs: 30_000 };
    case "idles":
      return { ...healthy, exit: { afterMs: 3_000, ending: evidence.ending("idle", 0) } };
    default:
      return behaviour satisfies never;
  }
}

interface Planting {
  readonly withFate: (fate: Partial<Fate>, deadlineMs: number) => Promise<void>;
  readonly stop: () => Promise<unknown>;
  readonly nodes: Nodes;
  readonly store: MemoryStore;
  readonly agent: Agent;
}

async function plant(state: Planted, { withFate, stop, nodes, store, agent }: Planting): Promise<void> {
  switch (state) {
    case "running":
      return withFate({}, 60_000);
    case "ending":
      await withFate({ graceMs: 30_000 }, 60_000);
      await stop();
      return;
    case "terminated":
      return withFate({ exit: { afterMs: 1, ending: evidence.ending("exited", 1) } }, 60_000);
    case "abandoned":
      return withFate({ trouble: { kind: "unclaimed" } }, 1_000);
    case "invalidImage":
      return withFate({ trouble: { kind: "invalidImage", rejected: true } }, 1_000);
    case "pullFailing":
      return withFate({ trouble: { kind: "pull", failure: "manifestUnknown", healsAfterMs: null } }, 10_000);
    case "recoverable":
      return withFate({ trouble: { kind: "pull", failure: null, healsAfterMs: null } }, 1_000);
    case "secretMissing": {
      await withFate({ pullMs: 2_000 }, 1_000);
      const attempt = store.instance(agent.name)?.attempt ?? fail("nothing was created");
      return store.removeSecret(secretName(profile, agent.identity, attempt));
    }
    case "interrupted":
      await withFate({}, 60_000);
      return nodes.restartInPlace(agent.name, long);
    case "unjudgeable":
      await withFate({}, 60_000);
      return nodes.hide(agent.name, long);
    default:
      state satisfies never;
  }
}

/** The port as a test uses it directly: time goes on until each answer is there. */
function driven(around: Surroundings): Substrate {
  const { history, scheduler, store, weather, tell } = around;
  const wire = new Wire({ history, caller: -5, crash: null, calm: true, scheduler, store, weather, tell });
  const inner = memorySubstrate(store, "memory", wire);
  const drive = async <T>(promise: Promise<T>): Promise<T> => {
    let done = false;
    const settled = promise.finally(() => {
      done = true;
    });
    await scheduler.run(() => done, scheduler.now() + patienceMs);
    return settled;
  };
  const driving = <A extends readonly unknown[], T>(
    operation: (...args: A) => Promise<T>,
  ): ((...args: A) => Promise<T>) => {
    return (...args) => drive(operation(...args));
  };
  return {
    scope: inner.scope,
    ensureScope: driving(inner.ensureScope),
    readInstances: driving(inner.readInstances),
    readName: driving(inner.readName),
    listSecrets: driving(inner.listSecrets),
    secretExists: driving(inner.secretExists),
    createSecret: driving(inner.createSecret),
    createInstance: driving(inner.createInstance),
    deleteInstance: driving(inner.deleteInstance),
    deleteSecret: driving(inner.deleteSecret),
    follow: (identity, from, signal) => ({
      [Symbol.asyncIterator]() {
        const hints: AsyncIterator<Hint> = inner.follow(identity, from, signal)[Symbol.asyncIterator]();
        return { next: () => drive(hints.next()), return: () => drive(hints.return?.() ?? hints.next()) };
      },
    }),
  };
}

function fail(what: string): never {
  throw new Error(what);
}
