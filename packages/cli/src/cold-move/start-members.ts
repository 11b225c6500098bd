/** Starts a fleet's members with the builds of one side: from what was recorded, with secrets read again from their sources. */
import type { Journal } from "@moorage/core";
import { nameIdentity } from "@moorage/core";
import { keyIdentity, sha256 } from "@moorage/keys";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import { readSecretValues } from "../launch/secret-values.ts";
import type { LaunchPlan } from "../launch/start-request.ts";
import type { Progress } from "../output/progress.ts";
import { startDeadlineMs } from "../scope/substrate-of.ts";
import type { Session } from "../session.ts";
import { startOne } from "../start/start-one.ts";
import { startText } from "../start/start-text.ts";
import { checkBuild, declaredOf } from "./declared-now.ts";
import type { MemberLaunch } from "./launch-record.ts";

/** One that ends at once is a failed step, and not one that is tried again and again. Milliseconds. */
const settleMs = 1_000;

/**
 * Each by the way that every start takes. Throws, with the texts of all, what keeps one from starting; what is merely not
 * confirmed yet is looked at again by whoever carries the move out.
 */
export async function startMembers(
  launches: readonly MemberLaunch[],
  fleet: string,
  { session, progress, host }: { readonly session: Session; readonly progress: Progress; readonly host: Host },
  journal: Journal,
): Promise<void> {
  // All are made ready before the first is started.
  const plans = await memberPlans(launches, fleet, host);
  const times = {
    deadlineMs: startDeadlineMs.local,
    settleMs,
    requireCurrent: false,
  };
  const results = await Promise.all(
    plans.map(async (plan) => {
      progress.begin(plan.agent, "starting");
      const result = await startOne(plan, session, times, journal, host.interrupt);
      progress.end(plan.agent, startText(result, host.output, []));
      return result;
    }),
  );
  if (host.interrupt.aborted) return;
  for (const warning of results.flatMap(({ warnings }) => warnings)) host.output.warn(warning);
  const failed = results.filter((result) => result.exit !== exit.ok && result.outcome !== "notConfirmed");
  if (failed.length === 0) return;
  throw new CliError({
    code: "startFailed",
    message: failed.map(({ agent, condition }) => `${agent}: ${condition?.message ?? "not started"}`).join("; "),
    hint: [...new Set(failed.map(({ condition }) => condition?.hint ?? ""))].filter((hint) => hint !== "").join("; "),
  });
}

/** Reads secrets and checks builds. Throws a `CliError` for what keeps one of them from being started by this very call. */
export function memberPlans(launches: readonly MemberLaunch[], fleet: string, host: Host): Promise<LaunchPlan[]> {
  return Promise.all(launches.map((launch) => planOf(launch, fleet, host)));
}

async function planOf(launch: MemberLaunch, fleet: string, { env, output }: Host): Promise<LaunchPlan> {
  const { agent, identity, template, notes } = launch;
  const declared = await declaredOf(launch);
  if (declared === null)
    throw new CliError({
      code: "notDeclared",
      message: `${agent} is not declared any more in ${notes.source ?? "its declaration"}`,
      hint: `put ${agent} back into it, then go on`,
    });
  checkBuild(launch, declared);
  const { values, key, warnings } = readSecretValues(declared, env);
  output.hide([...values.values(), ...(key === null ? [] : [key])]);
  for (const warning of warnings) output.warn(warning);
  const now = key === null ? nameIdentity(agent, sha256) : await keyIdentity(key);
  if (now !== identity)
    throw new CliError({
      code: "otherIdentity",
      message: `${agent} has another identity key now: it would be another agent`,
      hint: "put the key back that it was declared with, then go on",
    });
  return {
    agent,
    fleet,
    catalog: catalogOf(launch),
    identity,
    template,
    notes,
    secrets: secretsOf(launch, declared, values),
    secretValues: [...values.values()],
    warnings: [],
    obstacles: [],
  };
}

/** Its folder is where the old build had it; the name of its channel is on record. */
function catalogOf({ template, notes }: MemberLaunch): LaunchPlan["catalog"] {
  const { catalog } = template;
  return catalog === null || notes.catalog === undefined ? null : { path: catalog.path, name: notes.catalog };
}

/** What this build was declared with, and nothing that only the other one knows. */
function secretsOf(
  { agent, template }: MemberLaunch,
  declared: DeclaredAgent,
  values: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const wanted = new Set([
    ...template.secretKeys,
    ...(template.identityKey === null || template.identityKey.as === null ? [] : [template.identityKey.as]),
  ]);
  const passed = new Set(declared.passEnv);
  const lost = [...wanted].filter((name) => !values.has(name) && !passed.has(name));
  if (lost.length > 0)
    throw new CliError({
      code: "secretMissing",
      message: `${agent}: this build wants ${lost.join(", ")}, and its declaration has no source for it any more`,
      hint: `declare it again in ${declared.source}, then go on`,
    });
  return new Map([...values].filter(([name]) => wanted.has(name)));
}
