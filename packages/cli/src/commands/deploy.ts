/** `moorage deploy`: starts exactly one of each agent, or says what a start would do. */
import { launchEnvironment } from "@moorage/local";
import type { Invocation, Run } from "../args/command-spec.ts";
import { worstExit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import type { LaunchPlan } from "../launch/start-request.ts";
import { showProgress } from "../output/progress.ts";
import { startDeadlineMs, substrateOf } from "../scope/substrate-of.ts";
import { durationFlag, selectDeclared } from "../selection.ts";
import type { Session } from "../session.ts";
import { withSession } from "../session.ts";
import { defaultSettleMs, demandNoObstacle, planAll, startAll } from "../start/start-agents.ts";
import type { StartTimes } from "../start/start-one.ts";
import { startJson } from "../start/start-one.ts";

export const deploy: Run = async (invocation, host) => {
  const times = startTimes(invocation, host);
  const agents = await selectDeclared(invocation, host.cwd);
  const launchEnv = launchEnvironment(host.env);
  const plans = await planAll(agents, { environment: host.env, on: substrateOf(invocation.flags), launchEnv }, host);
  await demandUnlessRunning(plans, invocation, host);
  if (invocation.flags["dry-run"] === true) {
    const { dryRun } = await import("./dry-run.ts");
    return dryRun(plans, invocation, host);
  }
  return start(plans, times, invocation, host);
};

async function start(
  plans: readonly LaunchPlan[],
  times: StartTimes,
  invocation: Invocation,
  host: Host,
): Promise<number> {
  return withSession(invocation, host, { mode: "write" }, async (session) => {
    const progress = showProgress(host.output, () => session.clock.now());
    try {
      const results = await startAll(plans, session, times, progress, host);
      if (host.output.json) host.output.object("DeployResult", { agents: results.map(startJson) });
      return worstExit(results.map(({ exit }) => exit));
    } finally {
      progress.close();
    }
  });
}

/** What stands in the way of a create is no matter for an agent that runs: a start of it reads and answers. */
async function demandUnlessRunning(plans: readonly LaunchPlan[], invocation: Invocation, host: Host): Promise<void> {
  const obstructed = plans.filter(({ obstacles }) => obstacles.length > 0);
  if (obstructed.length === 0) return;
  const { preview } = await import("./dry-run.ts");
  const look = async (session: Session): Promise<LaunchPlan[]> => {
    const previews = await Promise.all(obstructed.map((plan) => preview(plan, session, host.interrupt)));
    return obstructed.filter((_plan, index) => previews[index]?.action !== "noOp");
  };
  const ended = await withSession(invocation, host, { mode: "read" }, look).catch(() => obstructed);
  demandNoObstacle(ended);
}

/** How long a start may take, from the flags. */
export function startTimes(invocation: Invocation, { output }: Host): StartTimes {
  return {
    deadlineMs: durationFlag(invocation, "deadline", startDeadlineMs[substrateOf(invocation.flags)]),
    settleMs: durationFlag(invocation, "settle", output.terminal ? defaultSettleMs : 0),
    requireCurrent: invocation.flags["require-current"] === true,
  };
}
