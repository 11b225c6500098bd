/** One caller of a history: a process that starts, stops or keeps an agent over its own wire, until it answers or dies. */
import type { AbortSource, Ending, Journal, Random, StartOutcome, StopOutcome, Substrate } from "@moorage/core";
import { createAbort, decodeStartup, intentDigest, mayRevive, startAgent, stopAgent } from "@moorage/core";
import type { Agent } from "./agents.ts";
import { digest, otherScheme, startRequest, subjectOf, template } from "./agents.ts";
import { checkAnswer } from "./answers.ts";
import type { CallView } from "./call-view.ts";
import { newCallView } from "./call-view.ts";
import { randomOf } from "./chance.ts";
import type { History, KeepStep, StartStep, StopStep } from "./history.ts";
import type { MemoryStore } from "./memory-store.ts";
import { memorySubstrate } from "./memory-substrate.ts";
import type { Nodes } from "./nodes.ts";
import type { Promises } from "./promises.ts";
import { isOurs, showsEnded } from "./promises.ts";
import type { Scheduler } from "./scheduler.ts";
import { checkQuiet, watchedSubstrate } from "./watched-substrate.ts";
import type { Weather } from "./wire.ts";
import { Wire } from "./wire.ts";

/** The loops under test; a test of the watch over the promises gives broken ones. */
export interface Loops {
  readonly start: typeof startAgent;
  readonly stop: typeof stopAgent;
}

export const realLoops: Loops = { start: startAgent, stop: stopAgent };

export interface Surroundings {
  readonly history: History;
  readonly scheduler: Scheduler;
  readonly store: MemoryStore;
  readonly nodes: Nodes;
  readonly promises: Promises;
  readonly weather: Weather;
  readonly loops: Loops;
  /** The rest after the history: nothing is slow any more. */
  readonly calm: boolean;
  /** When each version of an object came to be. */
  readonly madeAt: (version: string) => number;
  readonly tell: (line: string) => void;
}

export interface Caller {
  readonly wire: Wire;
  readonly abort: AbortSource;
  readonly outcomes: (StartOutcome | StopOutcome)[];
  /** It has come to its end, or has died. */
  isOver(): boolean;
}

type CallerStep = StartStep | StopStep | KeepStep;

/** Begins at once; goes on as the scheduler lets it. */
export function call(around: Surroundings, step: CallerStep, agent: Agent): Caller {
  const who = `${step.kind} #${step.caller}`;
  const tell = (line: string): void => around.tell(`${who}: ${line}`);
  const { history, scheduler, store, weather } = around;
  const { calm } = around;
  const wire = new Wire({ history, caller: step.caller, crash: step.crash, calm, scheduler, store, weather, tell });
  const plain = memorySubstrate(store, "memory", wire);
  const abort = createAbort();
  const outcomes: (StartOutcome | StopOutcome)[] = [];
  let over = false;
  const substrate = step.kind === "start" && step.scheme === "m2" ? otherScheme(plain) : plain;
  const session: Session = {
    around,
    agent,
    who,
    wire,
    substrate,
    abort,
    tell,
    random: randomOf(history.seed, step.caller),
  };
  const program = async (): Promise<void> => {
    if (step.kind === "start") outcomes.push(await startOnce(session, step.variant, step.deadlineMs, step.settleMs));
    else if (step.kind === "stop") outcomes.push(await stopOnce(session, step.deadlineMs));
    else await keep(session, step, outcomes);
  };
  program()
    .catch((error: unknown) => {
      around.promises.broken(
        "answer",
        `${who} threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    })
    .finally(() => {
      over = true;
    });
  return { wire, abort, outcomes, isOver: () => over || wire.dead };
}

interface Session {
  readonly around: Surroundings;
  readonly agent: Agent;
  readonly who: string;
  readonly wire: Wire;
  readonly substrate: Substrate;
  readonly abort: AbortSource;
  readonly random: Random;
  readonly tell: (line: string) => void;
}

async function startOnce(
  session: Session,
  variant: number,
  deadlineMs: number,
  settleMs: number,
): Promise<StartOutcome> {
  const desired = intentDigest(template(variant), digest);
  const view = viewOf(session, "start", desired, deadlineMs, settleMs);
  const request = startRequest(session.agent, variant, deadlineMs, settleMs);
  const outcome = await session.around.loops.start(request, { ...portsOf(session, view), digest });
  return answered(session, view, outcome);
}

async function stopOnce(session: Session, deadlineMs: number): Promise<StopOutcome> {
  const view = viewOf(session, "stop", null, deadlineMs, 0);
  const outcome = await session.around.loops.stop(subjectOf(session.agent, deadlineMs), portsOf(session, view));
  return answered(session, view, outcome);
}

/** What `keep` does: look now and then, and where the ending allows it, call the very same start again. */
async function keep(session: Session, step: KeepStep, outcomes: (StartOutcome | StopOutcome)[]): Promise<void> {
  const { clock } = session.wire;
  const revives: { at: number }[] = [];
  outcomes.push(await startOnce(session, step.variant, step.deadlineMs, 0));
  while (clock.now() < step.untilMs && !session.abort.signal.aborted) {
    await clock.sleep(5_000, session.abort.signal);
    const before = await endedNow(session);
    if (before === null) continue;
    const history = { policy: "onFailure", revives, livedMs: null, now: clock.now() } as const;
    const decision = mayRevive(before.ending, history);
    if (decision.kind === "no") continue;
    await clock.sleep(
      decision.kind === "exhausted" ? decision.refillsAt - clock.now() : decision.afterMs,
      session.abort.signal,
    );
    const after = await endedNow(session);
    if (decision.kind === "exhausted" || after?.uid !== before.uid) continue;
    revives.push({ at: clock.now() });
    session.tell(`revives ${before.uid}`);
    outcomes.push(await startOnce(session, step.variant, step.deadlineMs, 0));
  }
}

async function endedNow(session: Session): Promise<{ readonly uid: string; readonly ending: Ending } | null> {
  const { name, identity } = session.agent;
  const reading = await session.substrate.readInstances(identity);
  const own = reading.kind === "read" ? reading.instances.find((instance) => instance.name === name) : undefined;
  if (own === undefined || own.deletion !== null || !isOurs(own, identity) || !showsEnded(own)) return null;
  const startup = decodeStartup(own.evidence, new Set());
  return startup.kind === "terminated" ? { uid: own.fence.uid, ending: startup.ending } : null;
}

function viewOf(
  session: Session,
  kind: CallView["kind"],
  desired: CallView["desired"],
  deadlineMs: number,
  settleMs: number,
): CallView {
  const { agent, who, wire } = session;
  const { name, identity } = agent;
  return newCallView({ kind, who, name, identity, desired, deadlineMs, settleMs, began: wire.clock.now() });
}

function portsOf(session: Session, view: CallView) {
  const { around, substrate, wire, random, abort, tell } = session;
  const journal: Journal = {
    append: ({ step, message, rule }) => {
      view.journal.set(step, (view.journal.get(step) ?? 0) + 1);
      tell(`  ${step}${rule === null ? "" : ` (rule ${rule})`}: ${message}`);
    },
  };
  const watched = watchedSubstrate(substrate, {
    view,
    promises: around.promises,
    effectAt: () => wire.effectAt,
    now: wire.clock.now,
    madeAt: ({ fence }) => around.madeAt(fence.resourceVersion),
  });
  return { substrate: watched, clock: wire.clock, random, journal, signal: abort.signal };
}

function answered<O extends StartOutcome | StopOutcome>(session: Session, view: CallView, outcome: O): O {
  const { around, wire, abort, tell } = session;
  tell(`answers ${outcome.outcome}${outcome.condition === null ? "" : ` (${outcome.condition.code})`}`);
  checkQuiet({ view, promises: around.promises, now: wire.clock.now });
  checkAnswer({
    view,
    outcome,
    promises: around.promises,
    tookMs: wire.clock.now() - view.began,
    interrupted: abort.signal.aborted,
    refusals: wire.refusals,
    isLost: (uid) => around.nodes.isLost(uid),
  });
  return outcome;
}
