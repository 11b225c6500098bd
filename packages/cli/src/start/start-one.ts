/** Starts one agent and puts what came of it into the words of the contract. */
import type { ActionTaken, Admission, Condition, Journal, Notes, StartOutcome } from "@moorage/core";
import { instanceName, moorageProfile, readNotes, startAgent } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import { defaultFormats } from "../declaration/agent.ts";
import { exit, exitOfError, exitOfOutcome } from "../errors/exit-code.ts";
import { reportOf } from "../errors/report.ts";
import type { LaunchPlan } from "../launch/start-request.ts";
import type { Session } from "../session.ts";
import type { AdmittedStart } from "../update/local-admission.ts";
import { remembering } from "./remembering.ts";

export interface StartTimes {
  readonly deadlineMs: number;
  readonly settleMs: number;
  /** A running agent whose declaration has changed since is exit 4. */
  readonly requireCurrent: boolean;
}

export interface StartResult {
  readonly agent: string;
  readonly agentId: string;
  readonly scope: string;
  readonly outcome: "started" | "alreadyRunning" | "notConfirmed" | "reported" | "refused" | "worldMoved";
  readonly intent: "current" | "diverged" | "notComparable";
  readonly attempt: string | null;
  readonly condition: Condition | null;
  readonly startedAt: string | null;
  readonly actions: readonly ActionTaken[];
  readonly requests: number;
  readonly elapsedMs: number;
  /** What a person should know beside it. */
  readonly warnings: readonly string[];
  readonly exit: number;
}

/** Never rejects: what the state directory cannot do is an outcome too, so that the others are told. */
export async function startOne(
  plan: LaunchPlan,
  session: Session,
  times: StartTimes,
  journal: Journal,
  signal: AbortSignal,
): Promise<StartResult> {
  const { scope, clock, random } = session;
  const began = clock.now();
  const { agent, identity, template, notes, secrets } = plan;
  const { deadlineMs, settleMs } = times;
  const [obstacle] = plan.obstacles;
  const { substrate, seen } = remembering(scope.substrate);
  const warnings: string[] = [];
  try {
    const outcome = await startAgent(
      {
        agent,
        identity,
        template,
        notes,
        secrets,
        profile: moorageProfile,
        deadlineMs,
        settleMs,
        obstacle: obstacle === undefined ? null : reportOf(obstacle),
        ...admissionOf(plan, session, (warning) => warnings.push(warning)),
      },
      { substrate, clock, random, digest: sha256, journal, signal },
    );
    const instance = seen(outcome.agentId);
    const recorded = instance === undefined ? {} : readNotes(instance, moorageProfile);
    const why = outcome.outcome === "notConfirmed" ? await scope.whyWaiting(outcome.agentId) : null;
    const stuck = await changeRefused(plan, outcome, session);
    const { condition, exit } = judge(plan, outcome, recorded, times, stuck);
    const elapsedMs = Math.round(clock.now() - began);
    return { ...resultOf(plan, outcome, { condition: why ?? condition, exit }, elapsedMs), warnings };
  } catch (error) {
    const { code, message, hint } = reportOf(error);
    return {
      agent,
      agentId: instanceName(moorageProfile, identity),
      scope: scope.substrate.scope,
      outcome: "refused",
      intent: "current",
      attempt: null,
      condition: { code, message, hint },
      startedAt: null,
      actions: [],
      requests: 0,
      elapsedMs: Math.round(clock.now() - began),
      warnings,
      exit: exitOfError(code),
    };
  }
}

/** What an admission goes by. */
export function startOf({ agent, fleet, catalog, template }: LaunchPlan): AdmittedStart {
  return { agent, fleet, catalog, target: template.fingerprint ?? defaultFormats };
}

/** Whatever a start has to pass is loaded once something is about to be started. */
function admissionOf(
  plan: LaunchPlan,
  { scope: { machine } }: Session,
  warn: (text: string) => void,
): { readonly admission?: Admission } {
  if (machine === null) return {};
  let loaded: Admission | undefined;
  const load = async (): Promise<Admission> => {
    const { localAdmission } = await import("../update/local-admission.ts");
    loaded ??= localAdmission(startOf(plan), machine, warn);
    return loaded;
  };
  return {
    admission: {
      begin: async () => (await load()).begin(),
      stillHolds: async () => (await load()).stillHolds(),
    },
  };
}

interface Judgement {
  readonly condition: Condition | null;
  readonly exit: number;
}

/** Of one that runs and whose declaration has changed: why a restart would not take the change over, or null. */
async function changeRefused(
  plan: LaunchPlan,
  { outcome, intent }: StartOutcome,
  session: Session,
): Promise<Condition | null> {
  if (outcome !== "alreadyRunning" || intent !== "diverged") return null;
  const { refusedChange } = await import("./admission-refusal.ts");
  return refusedChange(plan, session);
}

/** What the command adds to the loop's answer: a running agent may be another declaration's, or an older one's. `stuck`: what its change would be refused for. */
function judge(
  plan: LaunchPlan,
  outcome: StartOutcome,
  { name, source }: Notes,
  times: StartTimes,
  stuck: Condition | null,
): Judgement {
  const { agent, notes } = plan;
  if (outcome.outcome !== "alreadyRunning")
    return { condition: ofWhichDeclaration(outcome), exit: exitOfStart(outcome) };
  if (name !== undefined && name !== agent)
    return {
      condition: {
        code: "otherName",
        message: `the same identity key runs under the name ${name}: that is one agent, and not two`,
        hint: `give ${agent} a key of its own; or, if ${name} is to be called ${agent} from now on, \`moorage stop ${name}\` first`,
      },
      exit: exit.refused,
    };
  // On a cluster none is recorded: everybody's lies elsewhere.
  if (source !== undefined && source !== notes.source)
    return {
      condition: {
        code: "otherDeclaration",
        message: `it runs from another declaration: ${source}`,
        hint: `deploy it from there, or \`moorage stop ${agent}\` first and deploy it from here then`,
      },
      exit: exit.refused,
    };
  if (stuck !== null) return { condition: stuck, exit: times.requireCurrent ? exit.refused : exit.ok };
  if (times.requireCurrent && outcome.intent !== "current")
    return {
      condition: {
        code: outcome.intent === "diverged" ? "diverged" : "intentNotComparable",
        message:
          outcome.intent === "diverged"
            ? "it runs, and the declaration has changed since it was started"
            : "it runs, and another version started it, so whether it is what you declared cannot be told",
        hint: `run \`moorage restart ${agent}\``,
      },
      exit: exit.refused,
    };
  return { condition: outcome.condition, exit: exit.ok };
}

/** A catalog that cannot be published is a mistake of the declaration, though it is seen only once something is to be created. */
function exitOfStart({ outcome, condition }: StartOutcome): number {
  return outcome === "refused" && condition !== null ? exitOfRefusal(condition.code) : exitOfOutcome(outcome);
}

/** Of a start that may not be. */
export function exitOfRefusal(code: string): number {
  return exitOfError(code) === exit.usage ? exit.usage : exit.refused;
}

/** Who has just corrected the declaration is not to read the old trouble as news. */
function ofWhichDeclaration({ outcome, intent, condition }: StartOutcome): Condition | null {
  if (outcome !== "reported" || intent !== "diverged" || condition === null) return condition;
  return { ...condition, message: `${condition.message}; it was created before your declaration changed` };
}

function resultOf(
  plan: LaunchPlan,
  outcome: StartOutcome,
  { condition, exit }: Judgement,
  elapsedMs: number,
): Omit<StartResult, "warnings"> {
  const { agentId, scope, intent, attempt, startedAt, actions, requests } = outcome;
  return {
    agent: plan.agent,
    agentId,
    scope,
    outcome: outcome.outcome === "interrupted" ? "notConfirmed" : outcome.outcome,
    intent,
    attempt,
    condition,
    startedAt,
    actions,
    requests,
    elapsedMs,
    exit,
  };
}

/** One agent of a `DeployResult`, exactly as the contract has it. */
export function startJson({ exit: _, warnings: __, condition, ...rest }: StartResult): object {
  return { ...rest, condition: condition === null ? null : { code: condition.code, message: condition.message } };
}
