/** A restart that an agent asks for itself: handed to a process outside of its group, which lives on when the agent ends. */
import { spawn } from "node:child_process";
import type { Invocation } from "../args/command-spec.ts";
import { exit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import { stateDir } from "../scope/local-scope.ts";

/** Set for the process that was handed a restart: what it inherits from the agent counts as the agent's own. */
const mark = "MOORAGE_HANDED_OVER";

export function handedOver(env: Readonly<Record<string, string | undefined>>): boolean {
  return env[mark] === "1";
}

/**
 * Starts the process and answers at once. It is no part of the agent by any proof: a session of its own, a mark in its
 * environment that is not the agent's (else who started it would tell: this command, or a subreaper of the agent's), none
 * of its output held.
 */
export function handOver(names: readonly string[], invocation: Invocation, host: Host): Promise<number> {
  const { output } = host;
  const env = Object.fromEntries(
    Object.entries(host.env).filter(([key, value]) => value !== undefined && !key.startsWith("MOORAGE_")),
  );
  const flags = Object.entries(invocation.flags).flatMap(([name, value]) => {
    if (value === undefined || name === "state" || name === "json") return [];
    return value === true ? [`--${name}`] : [`--${name}=${value}`];
  });
  const [program, ...args] = host.command;
  const child = spawn(
    program,
    [...args, "restart", ...names, `--state=${stateDir(invocation, host)}`, ...flags, "--quiet"],
    {
      cwd: host.cwd,
      env: { ...env, [mark]: "1", MOORAGE_INSTANCE: "restart" },
      detached: true,
      stdio: "ignore",
    },
  );
  child.unref();
  const agents = names.map((agent) => ({ agent, outcome: "accepted" }));
  if (output.json) output.object("RestartAccepted", { agents });
  for (const { agent } of agents) output.line(`${agent}: will be restarted after this turn`);
  return Promise.resolve(exit.ok);
}
