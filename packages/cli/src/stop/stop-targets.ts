/** Whom a stop means: everything of ours in the scope, or agents by the name that was recorded with them, key or not. */
import { nameIdentity } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import { defaultGraceMs } from "../declaration/agent.ts";
import { callingAgent } from "../inside.ts";
import { checkName } from "../selection.ts";
import type { KnownAgent, Session } from "../session.ts";
import { knownAgents } from "../session.ts";
import { didYouMean } from "../text/did-you-mean.ts";
import type { StopTarget } from "./stop-one.ts";

/** The targets in the order of the names. A name that nobody has recorded still stands for the name identity. */
export async function stopTargets(
  names: readonly string[] | "all",
  session: Session,
  env: Readonly<Record<string, string | undefined>>,
): Promise<StopTarget[]> {
  const known = await knownAgents(session.scope);
  const graces = new Map((await session.scope.facts()).map(({ name, graceMs }) => [name, graceMs] as const));
  const caller = callingAgent(env)?.instance;
  const target = ({ agent, identity, observed }: KnownAgent): StopTarget => ({
    agent,
    identity,
    graceMs: graces.get(observed.name) ?? defaultGraceMs,
    inside: observed.name === caller,
  });
  if (names === "all") return known.map(target);
  return names.flatMap((name) => {
    const named = known.filter(({ agent, observed }) => agent === name || observed.name === name);
    if (named.length > 0) return named.map(target);
    checkName(name);
    const meant = didYouMean(
      name,
      known.map(({ agent }) => agent),
    );
    return [{ agent: name, identity: nameIdentity(name, sha256), graceMs: defaultGraceMs, inside: false, meant }];
  });
}
