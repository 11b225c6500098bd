/** Plays one history in virtual time and says which promises were broken; the same history gives the same trace. */
import { intentDigest } from "@moorage/core";
import type { Agent } from "./agents.ts";
import { agents, digest, template } from "./agents.ts";
import type { Caller, Loops, Surroundings } from "./caller.ts";
import { call, realLoops } from "./caller.ts";
import { chanceOf } from "./chance.ts";
import { healthy } from "./fate.ts";
import type { Fault, History, StartStep, Step } from "./history.ts";
import { MemoryStore } from "./memory-store.ts";
import { Nodes } from "./nodes.ts";
import type { Violation } from "./promises.ts";
import { isOurs, mayRemove, Promises, showsEnded, showsRunning } from "./promises.ts";
import { createScheduler } from "./scheduler.ts";
import { traceDigest } from "./trace.ts";
import type { Weather } from "./wire.ts";
import type { WorldParts } from "./world.ts";
import { calm, happen } from "./world.ts";

export interface Played {
  readonly violations: readonly Violation[];
  /** The faults that hit, so that the same history can be given without chance. */
  readonly faults: readonly Fault[];
  /** Of every line of the trace with its time. */
  readonly digest: string;
  readonly outcomes: ReadonlyMap<string, number>;
  /** Every line with its time; empty unless asked for. */
  readonly story: readonly string[];
}

export interface PlayOptions {
  readonly story?: boolean;
  readonly loops?: Loops;
}

const hourMs = 3_600_000;
const epoch = Date.UTC(2026, 0, 1);
const lastCaller = 9_000;

export async function play(history: History, options: PlayOptions = {}): Promise<Played> {
  const scheduler = createScheduler();
  const story: string[] = [];
  const trace = traceDigest();
  const tell = (line: string): void => {
    const timed = `${(scheduler.now() / 1_000).toFixed(3)} s  ${line}`;
    trace.add(timed);
    if (options.story === true) story.push(timed);
  };
  const store = new MemoryStore({ now: scheduler.now, epoch, scopeExists: history.scopeExists });
  const promises = new Promises(scheduler.now);
  const made = new Map<string, number>();
  store.listen(({ kind, version, at }) => {
    if (kind === "changed") made.set(String(version), at);
  });
  const fates = new Map(
    history.steps.flatMap((step) => (step.kind === "fate" ? [[step.nth, step.fate] as const] : [])),
  );
  const weather: Weather = { outage: false, refusal: null };
  let calmed = false;
  const nodes = new Nodes({
    store,
    scheduler,
    witness: promises,
    fate: (nth) => (calmed ? healthy : (fates.get(nth) ?? healthy)),
    chance: (nth) => chanceOf(history.seed, -2, nth),
  });
  const world: WorldParts = { store, nodes, scheduler, weather, planted: new Set() };
  const madeAt = (version: string): number => made.get(version) ?? 0;
  const around: Surroundings = {
    history,
    scheduler,
    store,
    nodes,
    promises,
    weather,
    loops: options.loops ?? realLoops,
    calm: false,
    madeAt,
    tell,
  };
  const callers = new Map<number, Caller>();
  let waiting = 0;
  for (const step of history.steps) {
    if (step.kind === "fate") continue;
    waiting += 1;
    scheduler.after(step.at, () => {
      waiting -= 1;
      take(step, around, world, callers);
    });
  }
  const over = (): boolean => waiting === 0 && [...callers.values()].every((caller) => caller.isOver());
  const ended = await scheduler.run(over, 12 * hourMs);
  if (!ended) promises.broken("answer", "a caller that lives never got an answer");
  calmed = true;
  calm(world);
  tell("the world is calm");
  await scheduler.run(() => false, scheduler.now() + 400_000);
  for (const agent of agentsOf(history)) await checkRest(around, agent);
  const outcomes = new Map<string, number>();
  for (const { outcome } of [...callers.values()].flatMap((caller) => caller.outcomes))
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const faults = [...callers.values()].flatMap(({ wire }) => wire.applied);
  return { violations: promises.violations, faults, digest: trace.value(), outcomes, story };
}

function take(
  step: Exclude<Step, { kind: "fate" }>,
  around: Surroundings,
  world: WorldParts,
  callers: Map<number, Caller>,
): void {
  switch (step.kind) {
    case "start":
    case "stop":
    case "keep":
      around.tell(`${step.kind} #${step.caller} begins`);
      callers.set(step.caller, call(around, step, agentOf(step.agent)));
      return;
    case "interrupt":
      return interrupt(step.caller, around, callers);
    case "gap":
      around.tell(`the machine of #${step.caller} sleeps for ${step.ms} ms`);
      callers.get(step.caller)?.wire.freeze(step.ms);
      return;
    case "world":
      around.tell(`world: ${JSON.stringify(step.event)}`);
      return happen(world, agentOf(step.agent), step.event);
    default:
      return step satisfies never;
  }
}

function interrupt(number: number, around: Surroundings, callers: ReadonlyMap<number, Caller>): void {
  const caller = callers.get(number);
  if (caller === undefined || caller.isOver()) return;
  around.tell(`#${number} is interrupted`);
  caller.abort.abort();
}

function agentOf(index: number): Agent {
  return agents[index] ?? agents[0];
}

function agentsOf({ steps }: History): Agent[] {
  const used = new Set(steps.flatMap((step) => ("agent" in step ? [step.agent] : [])));
  return [...used].map(agentOf);
}

/** At rest a start converges, a stop stops, a second start touches nothing, and what the rules let go is gone. */
async function checkRest(around: Surroundings, agent: Agent): Promise<void> {
  const { store, promises, scheduler } = around;
  const rest = (message: string): void => promises.broken("rest", `${agent.agent}: ${message}`);
  const step = {
    kind: "start",
    at: 0,
    caller: lastCaller,
    agent: 0,
    deadlineMs: 600_000,
    crash: null,
    variant: 0,
    settleMs: 0,
    scheme: "m1",
  } as const;
  const converged = await ask(around, step, agent, expectedStart(around, agent));
  const stop = { kind: "stop", at: 0, caller: lastCaller + 1, agent: 0, deadlineMs: 600_000, crash: null } as const;
  await ask(around, stop, agent, converged === null ? ["stopped", "nothing"] : ["stopped"]);
  const left = ours(around, agent);
  if (left.some((instance) => instance.name === agent.name || !showsEnded(instance)))
    rest("a stop has left an instance");
  await scheduler.run(() => false, scheduler.now() + 72 * hourMs);
  await ask(around, { ...step, caller: lastCaller + 2 }, agent, ["started"]);
  if (left.length > 0) {
    // The Secret of an ended instance follows when a later pass sees that the instance is gone.
    await ask(around, { ...stop, caller: lastCaller + 4 }, agent, ["stopped"]);
    await scheduler.run(() => false, scheduler.now() + hourMs);
    await ask(around, { ...step, caller: lastCaller + 5 }, agent, ["started"]);
  }
  const version = store.version;
  const again: StartStep = { ...step, caller: lastCaller + 3, variant: 1 };
  await ask(around, again, agent, ["alreadyRunning"], 1);
  if (store.version !== version) rest("a start of a started agent has changed something");
  if (promises.alive(agent.identity) !== 1) rest(`${promises.alive(agent.identity)} are alive`);
  if (ours(around, agent).length > 1) rest("an ended instance is left over");
  const referenced = new Set(store.instances().map(({ attempt }) => attempt));
  for (const secret of store.secrets()) {
    const attempt = secret.name.slice(agent.name.length + 1);
    if (isOurs(secret, agent.identity) && ![...referenced].some((used) => used === attempt))
      rest(`${secret.name} is left over`);
  }
}

async function ask(
  around: Surroundings,
  step: Parameters<typeof call>[1],
  agent: Agent,
  expected: readonly string[],
  requests?: number,
): Promise<string | null> {
  const quiet: Surroundings = {
    ...around,
    calm: true,
    history: { ...around.history, faults: { kind: "given", list: [] } },
  };
  const caller = call(quiet, step, agent);
  await around.scheduler.run(() => caller.isOver(), around.scheduler.now() + 2 * hourMs);
  const [outcome] = caller.outcomes;
  const said = outcome === undefined ? "nothing at all" : outcome.outcome;
  if (!expected.includes(said))
    around.promises.broken(
      "rest",
      `${step.kind} #${step.caller} at rest answered ${said}, not ${expected.join(" or ")}`,
    );
  if (requests !== undefined && outcome?.requests !== requests)
    around.promises.broken("P2", `a no-op took ${outcome?.requests} requests`);
  return outcome?.outcome ?? null;
}

function expectedStart({ store }: Surroundings, agent: Agent): readonly string[] {
  const own = store.instance(agent.name);
  if (own === undefined) return ["started"];
  if (showsRunning(own)) return ["alreadyRunning"];
  const { container } = own.evidence;
  const missing =
    container.state === "waiting" && container.suspicion.kind === "secretMissing" ? container.suspicion.secret : "";
  const absent = new Set(store.secret(missing) === undefined ? [missing] : []);
  return mayRemove(own, absent, intentDigest(template(0), digest)) ? ["started"] : ["notConfirmed", "reported"];
}

function ours({ store }: Surroundings, agent: Agent) {
  return store.instances().filter((instance) => isOurs(instance, agent.identity));
}
