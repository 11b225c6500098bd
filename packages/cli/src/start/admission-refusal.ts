/** Whether a start would be let in, asked before anything is done for its sake. */
import type { Condition } from "@moorage/core";
import { CliError } from "../errors/cli-error.ts";
import { exit, exitOfError } from "../errors/exit-code.ts";
import type { LaunchPlan } from "../launch/start-request.ts";
import type { Session } from "../session.ts";
import { startOf } from "./start-one.ts";

/** Why not; null: nothing is in its way. Nothing is made or changed by it. */
export async function admissionRefusal(plan: LaunchPlan, { scope: { machine } }: Session): Promise<Condition | null> {
  if (machine === null) return null;
  const { admissionWouldRefuse } = await import("../update/local-admission.ts");
  return admissionWouldRefuse(startOf(plan), machine);
}

/** For whoever stops first: an agent that could not be started again is not stopped. Throws the first refusal. */
export async function demandAdmission(plans: readonly LaunchPlan[], session: Session): Promise<void> {
  for (const plan of plans) {
    const refusal = await admissionRefusal(plan, session);
    if (refusal === null) continue;
    const { code, message, hint } = refusal;
    throw new CliError({ code, message: `${plan.agent} is not stopped: ${message}`, hint });
  }
}

/** Why a restart would not take over what has changed in the declaration of one that runs, and what would; null: it would. */
export async function refusedChange(plan: LaunchPlan, session: Session): Promise<Condition | null> {
  const refusal = await admissionRefusal(plan, session);
  // What passes by itself, or is a fault of the place, says nothing about the change.
  if (refusal === null || ![exit.refused, exit.usage].some((code) => code === exitOfError(refusal.code))) return null;
  return { ...refusal, message: `the declaration has changed since it was started: ${refusal.message}` };
}
