/** What doctor looks at with each agent: its supervisor, whether it could be started again, the unit that keeps it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { InstanceFacts } from "@moorage/local";
import { unitMarginSeconds } from "../keep/units.ts";
import { commandFault } from "../launch/preflight.ts";
import type { AgentStatus } from "../status/agent-status.ts";
import type { Check } from "./check.ts";
import { problem, warning } from "./check.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Only what is not as it should be: two hundred agents in order are one line, not two hundred. */
export function agentChecks(
  agents: readonly AgentStatus[],
  facts: readonly InstanceFacts[],
  env: Environment,
): Check[] {
  const byName = new Map(facts.map((each) => [each.name, each] as const));
  return [
    ...agents.flatMap((status) => {
      const known = status.agentId === null ? undefined : byName.get(status.agentId);
      return [...supervisorChecks(status), ...(known === undefined ? [] : commandChecks(status, known))];
    }),
    ...unitChecks(facts, env),
  ];
}

function supervisorChecks({ agent, state, supervisor, reason }: AgentStatus): Check[] {
  if (state === "cannotTell")
    return [
      problem(
        agent,
        reason ?? "whether it lives cannot be told from here",
        "look from where it was started; nothing is ended and nothing created",
      ),
    ];
  switch (supervisor?.state) {
    case "lost":
      return [
        warning(
          agent,
          "its supervisor is gone; what it left is ended by the next start or stop",
          `run \`moorage restart ${agent}\` or \`moorage stop ${agent}\``,
        ),
      ];
    case "stopped":
      return [
        problem(
          agent,
          `its supervisor ${supervisor.pid ?? ""} is stopped (SIGSTOP) and answers nobody`,
          `run \`kill -CONT ${supervisor.pid ?? "PID"}\``,
        ),
      ];
    default:
      return [];
  }
}

/** A Node that was removed since is found before the next boot finds it. */
function commandChecks({ agent }: AgentStatus, { template, launchEnv }: InstanceFacts): Check[] {
  const fault = commandFault(template.command, template.directory, template.env["PATH"] ?? launchEnv["PATH"] ?? "");
  if (fault === null) return [];
  return [
    warning(
      agent,
      `it could not be started again: ${fault.message}`,
      `${fault.hint}; then \`moorage restart ${agent}\``,
    ),
  ];
}

function unitChecks(facts: readonly InstanceFacts[], env: Environment): Check[] {
  const folder = join(env["XDG_CONFIG_HOME"] ?? join(env["HOME"] ?? "/", ".config"), "systemd", "user");
  const longest = Math.max(0, ...facts.map(({ template }) => template.graceMs)) / 1000;
  return entries(folder).flatMap((name) => {
    if (!/^moorage-keep-[0-9a-f]+\.service$/.test(name)) return [];
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(readFileSync(join(folder, name), "utf8"))?.[1] ?? 0);
    if (seconds >= longest + unitMarginSeconds) return [];
    return [
      warning(
        name,
        `its TimeoutStopSec (${seconds} s) is less than the largest grace (${longest} s) and ${unitMarginSeconds} s`,
        "run `moorage keep --install` again",
      ),
    ];
  });
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
