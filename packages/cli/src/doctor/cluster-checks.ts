/** What doctor looks at on the way to a cluster: access, the namespace, each right, and what is in it. */
import { awakeClock } from "@moorage/local";
import type { Invocation } from "../args/command-spec.ts";
import { reportOf } from "../errors/report.ts";
import type { Host } from "../host.ts";
import { checkedCluster } from "../scope/cluster-scope.ts";
import { withSession } from "../session.ts";
import { readStatus } from "../status/read-status.ts";
import type { Check } from "./check.ts";
import { ok, problem } from "./check.ts";

export async function clusterChecks(invocation: Invocation, host: Host): Promise<Check[]> {
  try {
    const way = await checkedCluster(invocation, host, awakeClock());
    // Whoever may not look is told so by the checks.
    const agents = way.some(({ state }) => state === "problem") ? [] : await agentsCheck(invocation, host);
    return [...way, ...agents];
  } catch (error) {
    const { message, hint } = reportOf(error);
    return [problem("cluster", message, hint)];
  }
}

async function agentsCheck(invocation: Invocation, host: Host): Promise<Check[]> {
  return withSession(invocation, host, { mode: "read" }, async (session) => {
    const agents = await readStatus(session, { names: [], declared: null });
    const running = agents.filter(({ state }) => state === "running").length;
    return [ok("agents", `${agents.length} here, ${running} of them running`)];
  });
}
