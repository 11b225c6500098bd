/** `moorage restart`: everything that a start needs is checked first, then a stop at a turn boundary, then the start. */
import type { Journal } from "@moorage/core";
import type { Invocation, Run } from "../args/command-spec.ts";
import { exit, worstExit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import { callingAgent, resolveSelf } from "../inside.ts";
import type { LaunchPlan } from "../launch/start-request.ts";
import { logTail } from "../log-tail.ts";
import type { Progress } from "../output/progress.ts";
import { showProgress } from "../output/progress.ts";
import { handedOver, handOver } from "../restart/hand-over.ts";
import { restartPlans } from "../restart/restart-plans.ts";
import type { Session } from "../session.ts";
import { withSession } from "../session.ts";
import { demandAdmission } from "../start/admission-refusal.ts";
import type { StartResult, StartTimes } from "../start/start-one.ts";
import { startJson, startOne } from "../start/start-one.ts";
import { startText } from "../start/start-text.ts";
import type { StopResult, StopTarget } from "../stop/stop-one.ts";
import { stopJson, stopOne } from "../stop/stop-one.ts";
import { stopTargets } from "../stop/stop-targets.ts";
import { stopText } from "../stop/stop-text.ts";
import { startTimes } from "./deploy.ts";

interface RestartResult {
  readonly agent: string;
  readonly stop: StopResult;
  /** null: the stop was not confirmed, so nothing was started. */
  readonly start: StartResult | null;
}

export const restart: Run = async (invocation, host) => {
  const names = resolveSelf(invocation.words, host.env);
  const caller = callingAgent(host.env)?.agent;
  if (caller !== undefined && names.includes(caller)) return handOver(names, invocation, host);
  const recorded = new Map<string, Readonly<Record<string, string>>>();
  const launchEnv = (instance: string): Readonly<Record<string, string>> => recorded.get(instance) ?? own;
  let own: Readonly<Record<string, string>> = {};
  return withSession(invocation, host, { mode: "write", launchEnv }, async (session) => {
    own = session.launchEnv;
    // Handed over by the agent itself: what it inherited stays what it was.
    if (handedOver(host.env))
      for (const { name, process } of await session.scope.facts())
        if (process !== null) recorded.set(name, process.launchEnv);
    const plans = await restartPlans(names, invocation, session, host);
    await demandAdmission(plans, session);
    const targets = await stopTargets(names, session, host.env);
    return restartAll(plans, targets, session, startTimes(invocation, host), host, invocation);
  });
};

async function restartAll(
  plans: readonly LaunchPlan[],
  targets: readonly StopTarget[],
  session: Session,
  times: StartTimes,
  host: Host,
  invocation: Invocation,
): Promise<number> {
  const { output } = host;
  const progress = showProgress(output, () => session.clock.now());
  try {
    const journal = progress.through(session.scope.journal);
    const waits = invocation.flags["deadline"] === undefined ? null : times.deadlineMs;
    const results = await Promise.all(
      plans.map((plan) => {
        const target = targets.find(({ identity }) => identity === plan.identity) ?? targetOf(plan);
        return restartOne(plan, { ...target, inside: false }, waits, session, times, journal, progress, host);
      }),
    );
    if (output.json)
      output.object("RestartResult", {
        agents: results.map(({ agent, stop, start }) => ({
          agent,
          stop: stopJson(stop),
          start: start === null ? null : startJson(start),
        })),
      });
    return worstExit(results.map(({ stop, start }) => start?.exit ?? stop.exit));
  } finally {
    progress.close();
  }
}

function targetOf({ agent, identity, template }: LaunchPlan): StopTarget {
  return { agent, identity, graceMs: template.graceMs, inside: false };
}

async function restartOne(
  plan: LaunchPlan,
  target: StopTarget,
  deadlineMs: number | null,
  session: Session,
  times: StartTimes,
  journal: Journal,
  progress: Progress,
  { interrupt, output }: Host,
): Promise<RestartResult> {
  const { agent } = plan;
  progress.begin(agent, "stopping");
  const stop = await stopOne(target, { deadlineMs, now: false, purge: false }, session, journal, interrupt);
  if (stop.exit !== exit.ok) {
    progress.end(agent, stopText(stop, output));
    return { agent, stop, start: null };
  }
  const start = await startOne(plan, session, times, journal, interrupt);
  for (const warning of start.warnings) output.warn(warning);
  const ended = start.condition?.code === "agentEnded" && !output.json;
  progress.end(agent, startText(start, output, ended ? await logTail(session, start.agentId) : []));
  return { agent, stop, start };
}
