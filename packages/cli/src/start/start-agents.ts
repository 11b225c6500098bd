/** Starts several agents at once: checked together, told one by one, one exit code. */
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import type { Host } from "../host.ts";
import type { LaunchOptions, LaunchPlan } from "../launch/start-request.ts";
import { launchPlan } from "../launch/start-request.ts";
import { logTail } from "../log-tail.ts";
import type { Progress } from "../output/progress.ts";
import type { Session } from "../session.ts";
import type { StartResult, StartTimes } from "./start-one.ts";
import { startOne } from "./start-one.ts";
import { startText } from "./start-text.ts";

/** Milliseconds that a start in a terminal goes on watching. */
export const defaultSettleMs = 2_000;

/** The plans of all agents that are about to be created, or the errors of all: nothing is started when one cannot be. */
export async function launchPlans(
  agents: readonly DeclaredAgent[],
  options: LaunchOptions,
  host: Host,
): Promise<LaunchPlan[]> {
  const plans = await planAll(agents, options, host);
  demandNoObstacle(plans);
  return plans;
}

/** Throws what stands in the way of creating these agents, all of it. */
export function demandNoObstacle(plans: readonly LaunchPlan[]): void {
  const errors = plans.flatMap(({ obstacles }) => obstacles);
  if (errors.length > 0) throw together(errors);
}

/** The plans of all agents, obstacles and all, or the errors of those that have none. Tells warnings, hides secrets. */
export async function planAll(
  agents: readonly DeclaredAgent[],
  options: LaunchOptions,
  { output }: Host,
): Promise<LaunchPlan[]> {
  const settled = await Promise.allSettled(agents.map((agent) => launchPlan(agent, options)));
  const plans = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  output.hide(plans.flatMap(({ secretValues }) => secretValues));
  const errors = settled.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  if (errors.length > 0) throw together(errors);
  for (const warning of plans.flatMap(({ warnings }) => warnings)) output.warn(warning);
  checkIdentities(plans);
  return plans;
}

/** Several errors as the first one's kind, with the texts of all. */
function together(errors: readonly unknown[]): unknown {
  const told = errors.filter((error) => error instanceof CliError);
  const [first] = told;
  if (first === undefined || told.length !== errors.length || errors.length === 1) return errors[0];
  return new CliError({
    code: first.code,
    message: told.map(({ message }) => message).join("\n  "),
    hint: [...new Set(told.map(({ hint }) => hint))].join("; "),
    details: { errors: told.map(({ code, message, hint, details }) => ({ code, message, hint, details })) },
  });
}

function checkIdentities(plans: readonly LaunchPlan[]): void {
  const known = new Map<string, string>();
  for (const { agent, identity } of plans) {
    const other = known.get(identity);
    if (other !== undefined)
      throw new CliError({
        code: "identityTwice",
        message: `${other} and ${agent} have the same identity key: they would be one agent`,
        hint: "give each a key of its own",
        details: { agents: [other, agent] },
      });
    known.set(identity, agent);
  }
}

/** Starts all at once and tells each as soon as it is known; the results are in the order of the plans. */
export async function startAll(
  plans: readonly LaunchPlan[],
  session: Session,
  times: StartTimes,
  progress: Progress,
  host: Host,
): Promise<StartResult[]> {
  const journal = progress.through(session.scope.journal);
  return Promise.all(
    plans.map(async (plan) => {
      progress.begin(plan.agent, "looking");
      const result = await startOne(plan, session, times, journal, host.interrupt);
      for (const warning of result.warnings) host.output.warn(warning);
      const ended = result.condition?.code === "agentEnded";
      const tail = ended && !host.output.json ? await logTail(session, result.agentId) : [];
      const edited = await editedLines(plan, result, session);
      progress.end(plan.agent, [startText(result, host.output, tail), ...edited].join("\n"));
      return result;
    }),
  );
}

/** That what runs has not got what was edited. Loaded for an agent that runs and has a catalog, and for nobody else. */
async function editedLines(plan: LaunchPlan, { outcome }: StartResult, { scope }: Session): Promise<string[]> {
  if (outcome !== "alreadyRunning" || plan.catalog === null || scope.machine === null) return [];
  const [{ editedSince }, { editedText }] = await Promise.all([
    import("../update/edited-since.ts"),
    import("../update/life-text.ts"),
  ]);
  const since = editedSince(plan, scope.machine);
  return since === null ? [] : [`  ${editedText(since)}`];
}
