/** What each agent of a restart is started from: its declaration as it is now, or, without one, what was recorded with it. */
import type { InstanceFacts } from "@moorage/local";
import type { Invocation } from "../args/command-spec.ts";
import type { DeclaredAgent } from "../declaration/agent.ts";
import type { Host } from "../host.ts";
import { declaredElsewhere, recordedPlan } from "../launch/recorded-plan.ts";
import type { LaunchPlan } from "../launch/start-request.ts";
import { declaredIfAny } from "../selection.ts";
import type { KnownAgent, Session } from "../session.ts";
import { knownAgents } from "../session.ts";
import { launchPlans } from "../start/start-agents.ts";
import { handedOver } from "./hand-over.ts";

/** The plans in the order of the names. Throws before anything was stopped. */
export async function restartPlans(
  names: readonly string[],
  invocation: Invocation,
  session: Session,
  host: Host,
): Promise<LaunchPlan[]> {
  const known = await knownAgents(session.scope);
  const facts = await session.scope.facts();
  const here = await declaredIfAny(invocation, host.cwd);
  const plans: LaunchPlan[] = [];
  for (const name of names) {
    const instance = known.find(({ agent }) => agent === name);
    const declared = here.find((agent) => agent.name === name) ?? (await declaredElsewhere(name, instance));
    plans.push(
      declared === undefined
        ? recordedPlan(
            name,
            instance,
            facts.find((each) => each.name === instance?.observed.name),
          )
        : await plan(declared, session, instance, facts, host),
    );
  }
  return plans;
}

async function plan(
  declared: DeclaredAgent,
  session: Session,
  instance: KnownAgent | undefined,
  facts: readonly InstanceFacts[],
  host: Host,
): Promise<LaunchPlan> {
  const kept = handedOver(host.env) ? facts.find(({ name }) => name === instance?.observed.name) : undefined;
  const options = {
    environment: host.env,
    launchEnv: kept?.launchEnv ?? session.launchEnv,
    ...(kept === undefined ? {} : { own: host.env }),
  };
  const [only] = await launchPlans([declared], options, host);
  if (only === undefined) throw new Error("one agent gave no plan");
  return only;
}
