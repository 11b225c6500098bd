/** What each agent of a restart is started from: its declaration as it is now, or, without one, what was recorded with it. */
import { moorageProfile, nameIdentity, readNotes } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import type { InstanceFacts } from "@moorage/local";
import type { Invocation } from "../args/command-spec.ts";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import type { Host } from "../host.ts";
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
        ? recordedPlan(name, instance, facts.find((each) => each.name === instance?.observed.name))
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

/** The agent in the declaration that it was started from, wherever that lies. */
async function declaredElsewhere(name: string, instance: KnownAgent | undefined): Promise<DeclaredAgent | undefined> {
  const source = instance === undefined ? undefined : readNotes(instance.observed, moorageProfile).source;
  if (source === undefined || source.endsWith("/")) return undefined;
  const { loadDeclaration } = await import("../declaration/load.ts");
  return loadDeclaration(source, { cwd: "/", substrate: "local" }).find((agent) => agent.name === name);
}

/** An agent that was started without a file: its record has all that a start needs, unless it had secrets. */
function recordedPlan(name: string, instance: KnownAgent | undefined, facts: InstanceFacts | undefined): LaunchPlan {
  if (instance === undefined || facts === undefined)
    throw new CliError({
      code: "noSuchAgent",
      message: `no agent ${name} is declared here, and none with that name is in the state directory`,
      hint: "`moorage status` lists what is there; `moorage deploy NAME -- COMMAND` starts one without a file",
    });
  const { template } = facts;
  if (template.secretKeys.length > 0 || template.identityKey !== null)
    throw new CliError({
      code: "notDeclared",
      message: `${name} has secrets, and its declaration is not here`,
      hint: "name the declaration with --file",
    });
  const notes = readNotes(instance.observed, moorageProfile);
  return {
    agent: name,
    identity: nameIdentity(name, sha256),
    template,
    notes,
    secrets: new Map(),
    secretValues: [],
    warnings: [],
  };
}
