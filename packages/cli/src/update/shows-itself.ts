/** Whether an agent that has just been started may still show that it tells its turns: before that, nobody can say when it takes a bundle up. */
import type { Clock } from "@moorage/core";
import { lookUntil } from "../look-until.ts";
import type { AgentFacts, AgentScope } from "../scope/agent-scope.ts";

/** A process that is younger than this, in milliseconds, may still show it. */
const showsItselfMs = 5_000;
const lookMs = 150;

export function mayShowItself(facts: AgentFacts | null | undefined): boolean {
  const { delivery = null, startedAt = null } = facts?.process ?? {};
  if (delivery?.takesPart !== "nothing" || startedAt === null) return false;
  const age = Date.now() - Date.parse(startedAt);
  return age >= 0 && age < showsItselfMs;
}

/** Resolves once none of the instances may, which takes a few seconds at most, or when the signal aborts. */
export async function untilShown(
  instances: readonly string[],
  scope: Pick<AgentScope, "facts">,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const shown = async (): Promise<true | null> => ((await scope.facts(instances)).some(mayShowItself) ? null : true);
  await lookUntil(shown, { clock, signal, pauseMs: () => lookMs });
}
