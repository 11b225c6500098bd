/** Calls that come from inside an agent: `self` as a name, and stops of itself, which must not wait for their own caller. */
import { nameFault } from "./declaration/names.ts";
import { usageError } from "./errors/cli-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The agent whose process tree this call comes from, by its recorded name; null outside. */
export function callingAgent(env: Environment): { readonly agent: string; readonly instance: string } | null {
  const agent = env["MOORAGE_AGENT"];
  const instance = env["MOORAGE_INSTANCE"];
  return agent === undefined || instance === undefined ? null : { agent, instance };
}

/** The names with `self` put into words, each once. Throws `usage` for `self` outside an agent, and for what can be no name. */
export function resolveSelf(names: readonly string[], env: Environment): string[] {
  const resolved = names.map((name) => {
    if (name !== "self") {
      const fault = nameFault(name);
      if (fault !== null) throw usageError(`no agent can be named so: ${fault.message}`, fault.hint);
      return name;
    }
    const caller = callingAgent(env);
    if (caller === null)
      throw usageError("self means the agent that calls, and no agent calls", "write the agent's name");
    return caller.agent;
  });
  return [...new Set(resolved)];
}
