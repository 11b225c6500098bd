/** `moorage update apply`: what was edited is built, signed, published, planned and delivered, each step told. */
import type { Invocation, Run } from "../args/command-spec.ts";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { usageError } from "../errors/cli-error.ts";
import type { Host } from "../host.ts";
import { showProgress } from "../output/progress.ts";
import { checkDeclared, declaredAgents, durationFlag } from "../selection.ts";
import { appliedJson, closingLines } from "../update/applied-text.ts";
import type { Applied, ApplyOptions } from "../update/apply.ts";
import { applyUpdate } from "../update/apply.ts";
import { withMachine } from "../update/with-machine.ts";

/** Milliseconds that an update is waited for. It never bounds what goes on. */
export const defaultDeadlineMs = 60_000;

export const updateApply: Run = async (invocation, host) => {
  const agents = await declaredAgents(invocation, host.cwd);
  const applied = await applyOnce(agents, applyOptions(agents, invocation), invocation, host);
  if (host.output.json) host.output.object("UpdateResult", appliedJson(applied));
  else for (const line of closingLines(applied)) host.output.line(line);
  return applied.exit;
};

/** Throws `usage` and `notDeclared`. */
export function applyOptions(agents: readonly DeclaredAgent[], invocation: Invocation): ApplyOptions {
  const { flags } = invocation;
  const only = flags["only"];
  const migration = flags["migration"];
  if (typeof only === "string") checkDeclared(only, agents);
  if (typeof only === "string" && typeof migration === "string")
    throw usageError("a migration is the whole fleet's, and --only is about one agent", "leave one of them out");
  return {
    only: typeof only === "string" ? only : null,
    deadlineMs: durationFlag(invocation, "deadline", defaultDeadlineMs),
    whenIdle: flags["when-idle"] === true,
    migration: typeof migration === "string" ? migration : null,
  };
}

export async function applyOnce(
  agents: readonly DeclaredAgent[],
  options: ApplyOptions,
  invocation: Invocation,
  host: Host,
): Promise<Applied> {
  return withMachine(invocation, host, "write", async (session, machine) => {
    const progress = showProgress(host.output, () => session.clock.now());
    try {
      return await applyUpdate(agents, options, { session, machine, progress, host });
    } finally {
      progress.close();
    }
  });
}
