/** What each agent of a restart is started from: its declaration as it is now, or, without one, what was recorded with it. */

import { moorageProfile, readNotes } from "@moorage/core";
import type { Invocation } from "../args/command-spec.ts";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import type { Host } from "../host.ts";
import { declaredElsewhere, recordedPlan } from "../launch/recorded-plan.ts";
import type { LaunchPlan } from "../launch/start-request.ts";
import type { AgentFacts } from "../scope/agent-scope.ts";
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
    if (declared !== undefined && invocation.flags["file"] === undefined) checkSource(declared, instance);
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

/** A restart in the wrong folder would end somebody else's agent of the same name. */
function checkSource({ name, source }: DeclaredAgent, instance: KnownAgent | undefined): void {
  const recorded = instance === undefined ? undefined : readNotes(instance.observed, moorageProfile).source;
  if (recorded === undefined || recorded === source) return;
  throw new CliError({
    code: "otherDeclaration",
    message: `${name} runs from another declaration: ${recorded}; nothing was stopped`,
    hint: `restart it from there, or name the declaration that it is to have from now on: --file ${source}`,
    details: { agent: name, recorded, declared: source },
  });
}

async function plan(
  declared: DeclaredAgent,
  session: Session,
  instance: KnownAgent | undefined,
  facts: readonly AgentFacts[],
  host: Host,
): Promise<LaunchPlan> {
  const kept = handedOver(host.env) ? facts.find(({ name }) => name === instance?.observed.name) : undefined;
  const options = {
    environment: host.env,
    on: session.scope.on,
    launchEnv: kept?.process?.launchEnv ?? session.launchEnv,
    ...(kept === undefined ? {} : { own: host.env }),
  };
  const [only] = await launchPlans([declared], options, host);
  if (only === undefined) throw new Error("one agent gave no plan");
  return only;
}
