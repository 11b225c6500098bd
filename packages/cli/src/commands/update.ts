/** `moorage update`: edited catalogs and new builds to agents that run. */
import type { Run } from "../args/command-spec.ts";
import { CliError } from "../errors/cli-error.ts";

export const updatePlan: Run = notYet;
export const updateApply: Run = notYet;
export const updateWatch: Run = notYet;
export const updateStatus: Run = notYet;
export const updateRollback: Run = notYet;

function notYet({ command }: Parameters<Run>[0]): Promise<number> {
  const message = `moorage ${command} is not there yet`;
  throw new CliError({ code: "notAvailable", message, hint: "run `moorage --help` to see what is" });
}
