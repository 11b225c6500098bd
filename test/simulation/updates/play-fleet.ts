/** Plays one history of a fleet in virtual time and says which promises were broken; the same history gives the same trace. */
import type { Admission } from "@moorage/core";
import { firstDifference } from "@moorage/core";
import type { Fault } from "../history.ts";
import type { Scheduler } from "../scheduler.ts";
import { createScheduler } from "../scheduler.ts";
import { traceDigest } from "../trace.ts";
import { callFleet, type FleetCaller } from "./fleet-callers.ts";
import type { FleetCall, FleetHistory, FleetStep } from "./fleet-history.ts";
import type { FleetViolation } from "./fleet-promises.ts";
import { FleetWorld, fleet, fleetAgents, members } from "./fleet-world.ts";

export interface PlayedFleet {
  readonly violations: readonly FleetViolation[];
  /** The faults that hit, so that the same history can be given without chance. */
  readonly faults: readonly Fault[];
  readonly digest: string;
  /** Answers by the kind of caller, as `execute done`. */
  readonly outcomes: ReadonlySet<string>;
  readonly story: readonly string[];
}

const minuteMs = 60_000;
const restCaller = 9_000;

export interface PlayFleetOptions {
  readonly story?: boolean;
  /** What starts have instead of the gate; a test of the watch over the promises gives a broken one. */
  readonly admission?: (real: Admission) => Admission;
}

export async function playFleet(history: FleetHistory, options: PlayFleetOptions = {}): Promise<PlayedFleet> {
  const scheduler = createScheduler();
  const story: string[] = [];
  const trace = traceDigest();
  const world = new FleetWorld(history, scheduler, (line) => {
    const timed = `${(scheduler.now() / 1_000).toFixed(3)} s  ${line}`;
    trace.add(timed);
    if (options.story === true) story.push(timed);
  });
  if (options.admission !== undefined) world.admission = options.admission;
  const callers = new Map<number, FleetCaller>();
  const outcomes = new Set<string>();
  let waiting = 0;
  for (const step of history.steps) {
    waiting += 1;
    scheduler.after(step.at, () => {
      waiting -= 1;
      take(world, step, callers);
    });
  }
  const over = (): boolean => waiting === 0 && [...callers.values()].every((caller) => caller.isOver());
  if (!(await scheduler.run(over, 1_440 * minuteMs)))
    world.promises.broken("answer", "a caller that lives never got an answer");
  for (const step of history.steps) {
    const answer = "caller" in step ? callers.get(step.caller)?.answer() : null;
    if (answer !== null && answer !== undefined && !("ms" in step)) outcomes.add(`${step.kind} ${answer}`);
  }
  world.settle();
  world.tell("the world is calm");
  await new Rest(world, scheduler).check();
  const faults = [...callers.values()].flatMap(({ wire }) => wire.applied);
  return { violations: world.promises.violations, faults, digest: trace.value(), outcomes, story };
}

function take(world: FleetWorld, step: FleetStep, callers: Map<number, FleetCaller>): void {
  switch (step.kind) {
    case "world":
      return world.happen(step.event);
    case "gap":
      world.tell(`the machine of #${step.caller} sleeps for ${step.ms} ms`);
      return callers.get(step.caller)?.wire.freeze(step.ms);
    case "interrupt":
      world.tell(`#${step.caller} is interrupted`);
      return callers.get(step.caller)?.abort.abort();
    case "start":
    case "stop":
    case "publish":
    case "propose":
    case "execute":
    case "decide":
    case "turnBack":
      world.tell(`${step.kind} #${step.caller} begins`);
      callers.set(step.caller, callFleet(world, step));
      return;
    default:
      step satisfies never;
  }
}

/** Nothing goes wrong any more: the move comes to its end, and a last good bundle is used by all, whatever came before. */
class Rest {
  readonly #world: FleetWorld;
  readonly #scheduler: Scheduler;
  #callers = restCaller;

  constructor(world: FleetWorld, scheduler: Scheduler) {
    this.#world = world;
    this.#scheduler = scheduler;
  }

  async check(): Promise<void> {
    const { channel, promises } = this.#world;
    await this.#pass(minuteMs);
    await this.#finishMove();
    const { side } = this.#world;
    await this.#ask({ kind: "publish", content: 250, nature: "good", side, thinkMs: 0 });
    const newest = channel.line.at(-1);
    if (newest?.nature !== "good" || channel.assigned !== newest) return promises.broken("rest", "nobody can publish");
    for (let round = 0; round < 5; round += 1) {
      for (const agent of [0, 1] as const) await this.#ask({ kind: "start", agent, side, slip: null, ignorant: false });
      await this.#pass(8 * minuteMs);
      if (round < 3) for (const agent of [0, 1] as const) await this.#ask({ kind: "stop", agent });
    }
    for (const at of members.keys()) this.#checkLife(at, newest.digest);
    this.#checkFleet();
  }

  async #finishMove(): Promise<void> {
    const { promises } = this.#world;
    for (let round = 0; round < 12; round += 1) {
      const answer = await this.#ask({ kind: "execute", deadlineMs: 10 * minuteMs });
      if (["done", "aborted", "rolledBack", "nothing"].includes(answer ?? "")) return;
      if (answer === "busy" || answer === "takenOver" || answer === null)
        return promises.broken("rest", `a move that nobody carries out answers ${answer}`);
      await this.#pass(minuteMs);
      await this.#ask({ kind: "decide", favours: "forward", thinkMs: 10, snoozes: false });
    }
    promises.broken("rest", "a move never comes to its end, although everybody wants it to go on");
  }

  #checkLife(at: number, newest: string): void {
    const { promises, lives } = this.#world;
    const agent = lives[at];
    const name = fleetAgents[at]?.agent;
    if (agent === undefined || agent.process === null) return promises.broken("rest", `${name} does not run`);
    const { use } = agent.life;
    if (use.kind !== "confirmed" || use.bundle.digest !== newest)
      promises.broken("rest", `${name} is ${use.kind}, not confirmed on the newest good bundle`);
    if (agent.answers.filter(({ digest }) => digest === newest).at(-1)?.verdict !== "ack")
      promises.broken("told", `${name} has not acknowledged the newest bundle`);
    const refused = new Set(agent.answers.flatMap(({ verdict, digest }) => (verdict === "nack" ? [digest] : [])));
    const told = new Set(agent.notices.map(({ digest }) => digest));
    for (const { digest } of agent.life.quarantine)
      if (!refused.has(digest) && !told.has(digest)) promises.broken("told", `${name} keeps silent about ${digest}`);
  }

  #checkFleet(): void {
    const { promises, documents, side, store } = this.#world;
    const gate = JSON.parse(documents.read("gate", fleet)?.text ?? "null") as { open: unknown } | null;
    if (gate !== null && gate.open === null) promises.broken("rest", "the fleet is closed, and no move is under way");
    for (const { fence } of store.instances()) {
      const target = this.#world.targetOf(fence.uid);
      const lives = promises.alive.has(fence.uid);
      if (lives && target !== undefined && firstDifference(target, this.#world.target(side)) !== null)
        promises.broken("rest", `${fence.uid} lives with other formats than its fleet has`);
    }
    const open = documents
      .list("notice")
      .map(({ text }) => JSON.parse(text) as { state: { kind: string }; about: string });
    for (const about of ["coldMove", "moveHeld", "pointOfNoReturn"])
      if (open.some((notice) => notice.about === about && ["open", "snoozed"].includes(notice.state.kind)))
        promises.broken("rest", `${about} is asked, and no move is under way`);
  }

  #pass(ms: number): Promise<boolean> {
    return this.#scheduler.run(() => false, this.#scheduler.now() + ms);
  }

  async #ask(step: DistributiveOmit<FleetCall, "at" | "caller" | "crash">): Promise<string | null> {
    this.#callers += 1;
    const whole = { ...step, at: 0, caller: this.#callers, crash: null } as FleetCall;
    const caller = callFleet(this.#world, whole);
    await this.#scheduler.run(() => caller.isOver(), this.#scheduler.now() + 60 * minuteMs);
    return caller.answer();
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
