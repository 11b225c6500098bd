/** A new build at each agent's idle moment: one agent at a time is asked to stop, started anew, and seen running before the next. */
import type { DeclaredAgent } from "../declaration/agent.ts";
import { exit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import type { LaunchPlan } from "../launch/start-request.ts";
import { logTail } from "../log-tail.ts";
import { lookUntil } from "../look-until.ts";
import type { Progress } from "../output/progress.ts";
import { startDeadlineMs } from "../scope/substrate-of.ts";
import type { Session } from "../session.ts";
import { knownAgents } from "../session.ts";
import { demandAdmission } from "../start/admission-refusal.ts";
import { defaultSettleMs, launchPlans } from "../start/start-agents.ts";
import type { StartResult } from "../start/start-one.ts";
import { startOne } from "../start/start-one.ts";
import { startText } from "../start/start-text.ts";
import type { StopResult } from "../stop/stop-one.ts";
import { stopOne } from "../stop/stop-one.ts";
import { stopText } from "../stop/stop-text.ts";
import type { AgentView } from "./observe-fleet.ts";

export interface Restarted {
  readonly agent: string;
  /** `notReached`: one before it failed, and the others go on as they are. */
  readonly outcome: "restarted" | "busy" | "notStopped" | "notStarted" | "notReached";
  readonly stop: StopResult | null;
  readonly start: StartResult | null;
  /** The last lines that it wrote, where it did not come back. */
  readonly log: readonly string[];
  readonly exit: number;
}

const lookMs = 150;

/** Everything that a start needs is checked for all of them before any is stopped. Throws what stands in the way. */
export async function restartWhenIdle(
  views: readonly AgentView[],
  deadlineMs: number,
  { session, progress, host }: { readonly session: Session; readonly progress: Progress; readonly host: Host },
): Promise<Restarted[]> {
  const declared: DeclaredAgent[] = views.map((view) => view.declared);
  const options = { environment: host.env, on: session.scope.on, launchEnv: session.launchEnv };
  const plans = await launchPlans(declared, options, host);
  await demandAdmission(plans, session);
  const until = session.clock.now() + deadlineMs;
  const results: Restarted[] = [];
  for (const plan of plans) {
    const failed = results.some((result) => result.exit !== exit.ok);
    const result = failed ? notReached(plan.agent) : await restartOne(plan, until, session, progress, host);
    progress.end(plan.agent, textOf(result, host));
    results.push(result);
  }
  return results;
}

async function restartOne(
  plan: LaunchPlan,
  until: number,
  session: Session,
  progress: Progress,
  { interrupt }: Host,
): Promise<Restarted> {
  const { agent, identity, template } = plan;
  progress.begin(agent, "waits for its idle moment");
  if (!(await idleBy(plan, until, session, interrupt)))
    return { agent, outcome: "busy", stop: null, start: null, log: [], exit: exit.notConfirmed };
  const journal = progress.through(session.scope.journal);
  // A turn that begins in between is let finish, as by any stop.
  const target = { agent, identity, graceMs: template.graceMs, inside: false };
  const stop = await stopOne(target, { deadlineMs: null, now: false, purge: false }, session, journal, interrupt);
  if (stop.exit !== exit.ok) return { agent, outcome: "notStopped", stop, start: null, log: [], exit: stop.exit };
  // A build that breaks at once must not take the next agent down as well.
  const times = { deadlineMs: startDeadlineMs.local, settleMs: defaultSettleMs, requireCurrent: false };
  const start = await startOne(plan, session, times, journal, interrupt);
  const log = start.condition?.code === "agentEnded" ? await logTail(session, start.agentId) : [];
  return { agent, outcome: start.exit === exit.ok ? "restarted" : "notStarted", stop, start, log, exit: start.exit };
}

async function idleBy(
  { agent }: LaunchPlan,
  until: number,
  { scope, clock }: Session,
  interrupt: AbortSignal,
): Promise<boolean> {
  const idle = async (): Promise<true | null> => {
    const instance = (await knownAgents(scope)).find((known) => known.agent === agent)?.observed.name;
    const [facts] = instance === undefined ? [] : await scope.facts([instance]);
    // Who tells no turns is idle at any moment.
    return (facts?.turn?.inFlight ?? 0) === 0 ? true : null;
  };
  return (await lookUntil(idle, { clock, signal: interrupt, until, pauseMs: () => lookMs })) !== null;
}

function notReached(agent: string): Restarted {
  return { agent, outcome: "notReached", stop: null, start: null, log: [], exit: exit.ok };
}

function textOf({ agent, outcome, stop, start, log }: Restarted, { output }: Host): string {
  switch (outcome) {
    case "restarted":
    case "notStarted":
      return start === null ? agent : startText(start, output, log);
    case "notStopped":
      return stop === null ? agent : stopText(stop, output);
    case "busy":
      return [
        `${agent}: ${output.style("yellow", "not restarted")}: it had a turn in flight all the time`,
        `  ${output.style("dim", "→")} run \`moorage update apply --when-idle\` again, with a longer --deadline`,
      ].join("\n");
    case "notReached":
      return `${agent}: goes on with the build that it has: one before it did not come back`;
    default:
      return outcome satisfies never;
  }
}
