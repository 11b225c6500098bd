/** `moorage deploy --dry-run`: the next action of a start and its reason; nothing is changed. */
import type { Condition } from "@moorage/core";
import { instanceName, moorageProfile, previewStart } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import type { Invocation } from "../args/command-spec.ts";
import { exit, exitOfOutcome, worstExit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import type { LaunchPlan } from "../launch/start-request.ts";
import type { Session } from "../session.ts";
import { withSession } from "../session.ts";
import { admissionRefusal, refusedChange } from "../start/admission-refusal.ts";
import { exitOfRefusal } from "../start/start-one.ts";

/** What a start would do with one agent. */
export interface PreviewResult {
  readonly agent: string;
  readonly agentId: string;
  readonly scope: string;
  /** null: the world could not be looked at; the condition says why. */
  readonly action: string | null;
  readonly rule: number | null;
  readonly reason: string;
  readonly intent: "current" | "diverged" | "notComparable" | null;
  readonly condition: Condition | null;
  readonly exit: number;
}

const lookMs = 10_000;
const silent = { append: () => undefined };

export async function dryRun(plans: readonly LaunchPlan[], invocation: Invocation, host: Host): Promise<number> {
  const { output } = host;
  return withSession(invocation, host, { mode: "read" }, async (session) => {
    const results = await Promise.all(plans.map((plan) => preview(plan, session, host.interrupt)));
    if (output.json)
      output.object("DeployPreview", {
        agents: results.map(({ exit: _, condition, ...rest }) => ({
          ...rest,
          condition: condition === null ? null : { code: condition.code, message: condition.message },
        })),
      });
    for (const result of results) output.line(previewText(result));
    return worstExit(results.map(({ exit: code }) => code));
  });
}

/** One look: what a start would do now. */
export async function preview(plan: LaunchPlan, session: Session, signal: AbortSignal): Promise<PreviewResult> {
  const { scope, clock, random } = session;
  const { agent, identity, template } = plan;
  const seen = await previewStart(
    { agent, identity, template, profile: moorageProfile, deadlineMs: lookMs },
    { substrate: scope.substrate, clock, random, digest: sha256, journal: silent, signal },
  );
  const told = { agent, agentId: instanceName(moorageProfile, identity), scope: scope.substrate.scope };
  if (seen.kind === "preview") {
    const { action, rule, reason, intent, condition } = seen;
    const reported = action === "report" || condition?.code === "duplicateIdentity";
    if (reported) return { ...told, action, rule, reason, intent, condition, exit: exit.refused };
    // A start of what runs passes no admission.
    const refusal = action === "create" || action === "delete" ? await admissionRefusal(plan, session) : null;
    const code = refusal === null ? exit.ok : exitOfRefusal(refusal.code);
    const stuck = action === "noOp" && intent === "diverged" ? await refusedChange(plan, session) : null;
    return { ...told, action, rule, reason, intent, condition: condition ?? refusal ?? stuck, exit: code };
  }
  const outcome = seen.kind === "deadline" ? "notConfirmed" : seen.kind;
  const condition = "condition" in seen ? seen.condition : null;
  const reason = condition?.message ?? "the state directory did not answer in time";
  return { ...told, action: null, rule: null, reason, intent: null, condition, exit: exitOfOutcome(outcome) };
}

const actionWords: Readonly<Record<string, string>> = {
  create: "would create it",
  delete: "would remove what is there and then create it",
  awaitDisappearance: "would wait for the end of what is there, then create it",
  noOp: "would change nothing",
  observe: "would wait for it to start",
  report: "would report and change nothing",
};

/** For people: the action, the rule of the table, the reason. */
export function previewText({ agent, action, rule, reason, intent, condition }: PreviewResult): string {
  const does = action === null ? "would not get to a decision" : (actionWords[action] ?? action);
  const lines = [`${agent}: a deploy ${does}: ${reason}${rule === null ? "" : ` (rule ${rule})`}`];
  if (intent === "diverged" && action === "noOp" && condition === null)
    lines.push(
      "  the declaration has changed since it was started",
      `  → \`moorage restart ${agent}\` takes the change over`,
    );
  if (condition !== null && condition.message !== reason) lines.push(`  ${condition.message}`);
  if (condition !== null) lines.push(`  → ${condition.hint}`);
  return lines.join("\n");
}
