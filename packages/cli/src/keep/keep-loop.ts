/** The foreground loop of `keep`: looks at every change, and starts again what ended in a way that the declaration lets it revive. */
import type { Ending, Journal, ReviveDecision } from "@moorage/core";
import { describeEnding, instanceName, mayRevive, moorageProfile, verify } from "@moorage/core";
import type { LaunchPlan } from "../launch/start-request.ts";
import { startDeadlineMs } from "../scope/substrate-of.ts";
import type { Session } from "../session.ts";
import { startOne } from "../start/start-one.ts";

/** What keep tells about one agent; each time that it changes. */
export interface KeepNews {
  readonly agent: string;
  readonly code: "watching" | "revivesIn" | "reviving" | "revived" | "notRevived" | "exhausted" | "absent" | "fault";
  readonly message: string;
  /** A person should know: it is not going on by itself. */
  readonly notice: boolean;
  /** The last lines that it wrote, with an ending that a person should know of. */
  readonly log: readonly string[];
}

export interface KeepPorts {
  readonly session: Session;
  readonly journal: Journal;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  readonly tell: (news: KeepNews) => void;
  /** Made anew for each revive: the declaration and its secrets as they are then. */
  readonly plan: (agent: string) => Promise<LaunchPlan>;
  /** The last lines that an instance wrote. */
  readonly lastWords: (instance: string) => Promise<readonly string[]>;
}

interface Kept {
  readonly plan: LaunchPlan;
  told: string;
  /** The ending that is waited for, when that was decided, by the wall clock, and when its revive is due, by the monotonic one. */
  due: { readonly uid: string; readonly decidedAt: number; readonly at: number } | null;
  /** An ending that is settled: it was revived, or never will be. */
  settled: string | null;
}

/** Runs until the signal aborts. */
export async function keepLoop(plans: readonly LaunchPlan[], ports: KeepPorts): Promise<void> {
  const kept: Kept[] = plans.map((plan) => ({ plan, told: "", due: null, settled: null }));
  const { scope, clock } = ports.session;
  // It looks although no change was told: a supervisor that was lost tells nobody.
  const { lookMs } = scope;
  while (!ports.signal.aborted) {
    const round = new AbortController();
    const until = AbortSignal.any([ports.signal, round.signal]);
    // Before the look, so that no change between it and the wait is missed.
    const change = scope.changed(lookMs, until);
    const waits = await Promise.all(kept.map((each) => guardedLook(each, ports)));
    await Promise.race([change, clock.sleep(Math.max(1, Math.min(lookMs, ...waits)), until)]);
    round.abort();
    await change;
  }
}

/** A fault of one look ends neither the loop nor the others. */
async function guardedLook(kept: Kept, ports: KeepPorts): Promise<number> {
  try {
    return await look(kept, ports);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    news(kept, ports, { code: "fault", message: `could not look: ${message}`, notice: true });
    return ports.session.scope.lookMs;
  }
}

/** One look at one agent. Resolves to the milliseconds after which it wants the next one. */
async function look(kept: Kept, ports: KeepPorts): Promise<number> {
  const { identity } = kept.plan;
  const { scope, clock } = ports.session;
  const { lookMs } = scope;
  const name = instanceName(moorageProfile, identity);
  const reading = await scope.substrate.readInstances(identity);
  if (reading.kind !== "read") {
    news(kept, ports, {
      code: "fault",
      message: `no answer for ${scope.substrate.scope}; looking again`,
      notice: false,
    });
    return lookMs;
  }
  const observed = reading.instances.find((instance) => instance.name === name);
  const verified = observed === undefined ? null : verify(observed, moorageProfile, identity);
  if (verified === null || verified.kind === "foreign") {
    kept.due = null;
    news(kept, ports, { code: "absent", message: "not there: whoever stopped it meant it", notice: false });
    return lookMs;
  }
  const { instance } = verified;
  if (instance.startup.kind !== "terminated" || instance.deletion !== null) {
    kept.due = null;
    news(kept, ports, { code: "watching", message: `watching it: ${instance.startup.kind}`, notice: false });
    return lookMs;
  }
  const { uid } = instance.fence;
  if (kept.settled === uid) return lookMs;
  if (kept.due?.uid === uid) {
    const left = kept.due.at - clock.now();
    return left > 0 ? left : revive(kept, ports, kept.due, instance.startup.ending);
  }
  return decide(kept, ports, { uid, name, startedAt: instance.startedAt, ending: instance.startup.ending });
}

interface Ended {
  readonly uid: string;
  readonly name: string;
  readonly startedAt: string | null;
  readonly ending: Ending;
}

async function decide(kept: Kept, ports: KeepPorts, { uid, name, startedAt, ending }: Ended): Promise<number> {
  const { scope, clock } = ports.session;
  const { lookMs } = scope;
  const now = ports.wallTime();
  const revives = (await scope.revives(name)).map((at) => ({ at }));
  const livedMs =
    startedAt === null || ending.at === null ? null : Math.max(0, Date.parse(ending.at) - Date.parse(startedAt));
  const decision: ReviveDecision = mayRevive(ending, { policy: "onFailure", revives, livedMs, now });
  const ended = describeEnding(ending);
  switch (decision.kind) {
    case "revive":
      kept.due = { uid, decidedAt: now, at: clock.now() + decision.afterMs };
      news(kept, ports, {
        code: "revivesIn",
        message: `ended (${ended}); it is started again in ${decision.afterMs / 1000} s`,
        notice: false,
      });
      return decision.afterMs;
    case "exhausted": {
      const ms = Math.max(1_000, decision.refillsAt - now);
      news(kept, ports, {
        code: "exhausted",
        message: `ended (${ended}) after five revives within an hour; the next is possible in ${Math.ceil(ms / 60_000)} min, and \`moorage deploy\` starts it now`,
        notice: true,
        log: await ports.lastWords(name),
      });
      return Math.min(ms, lookMs);
    }
    case "no":
      kept.settled = uid;
      news(kept, ports, {
        code: "notRevived",
        message: `ended (${ended}) and is not started again: ${decision.reason}`,
        notice: true,
        log: await ports.lastWords(name),
      });
      return lookMs;
    default:
      return decision satisfies never;
  }
}

async function revive(kept: Kept, ports: KeepPorts, due: NonNullable<Kept["due"]>, ending: Ending): Promise<number> {
  const { session, journal, signal } = ports;
  const { lookMs, on } = session.scope;
  const name = instanceName(moorageProfile, kept.plan.identity);
  kept.due = null;
  news(kept, ports, { code: "reviving", message: `starting it again after ${describeEnding(ending)}`, notice: false });
  // Counted before it is tried: a start that fails uses the budget up as well. Another keep may have counted this end.
  await session.scope.recordRevive(name, ports.wallTime(), due.decidedAt);
  const plan = await ports.plan(kept.plan.agent);
  const times = { deadlineMs: startDeadlineMs[on], settleMs: 0, requireCurrent: false };
  const result = await startOne(plan, session, times, journal, signal);
  if (result.outcome === "started" || result.outcome === "alreadyRunning") {
    kept.settled = due.uid;
    news(kept, ports, { code: "revived", message: "it runs again", notice: false });
    return lookMs;
  }
  news(kept, ports, {
    code: "fault",
    message: `not started again: ${result.condition?.message ?? result.outcome}`,
    notice: true,
  });
  return lookMs;
}

type News = Pick<KeepNews, "code" | "message" | "notice"> & { readonly log?: readonly string[] };

function news(kept: Kept, ports: KeepPorts, { code, message, notice, log = [] }: News): void {
  if (kept.told === message) return;
  kept.told = message;
  const { agent, identity } = kept.plan;
  const name = instanceName(moorageProfile, identity);
  if (code !== "watching" && code !== "absent")
    ports.journal.append({
      step: notice ? "warn" : "decide",
      agent,
      identity,
      attempt: null,
      message,
      code,
      rule: null,
      name,
    });
  ports.tell({ agent, code, message, notice, log });
}
