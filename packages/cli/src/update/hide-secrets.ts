/** What an agent wrote may hold its secrets: as far as they can be read here, they are hidden before any of it is shown. */
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import type { Host } from "../host.ts";
import { readSecretValues } from "../launch/secret-values.ts";

export function hideSecrets(agents: readonly DeclaredAgent[], { env, output }: Host): void {
  const values = agents
    .flatMap(singleSecrets)
    .flatMap((one) => valuesOf(one, env))
    .filter((value) => value !== "");
  if (values.length > 0) output.hide(values);
}

/** The agent with one secret each: one that is missing here keeps none of the others from being hidden. */
function singleSecrets(agent: DeclaredAgent): DeclaredAgent[] {
  const bare: DeclaredAgent = { ...agent, secretEnv: new Map(), passEnv: [], identity: { kind: "name" } };
  return [
    ...[...agent.secretEnv].map((entry) => ({ ...bare, secretEnv: new Map([entry]) })),
    ...agent.passEnv.map((key) => ({ ...bare, passEnv: [key] })),
    ...(agent.identity.kind === "key" ? [{ ...bare, identity: agent.identity }] : []),
  ];
}

function valuesOf(agent: DeclaredAgent, env: Host["env"]): string[] {
  try {
    const { values, key } = readSecretValues(agent, env);
    return [...values.values(), ...(key === null ? [] : [key])];
  } catch (error) {
    // Whoever starts it is told what is missing; an update needs none of them.
    if (error instanceof CliError) return [];
    throw error;
  }
}
