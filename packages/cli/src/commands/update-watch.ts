/** `moorage update watch`: applies at every save, until Ctrl-C; what is broken is told, and the watch goes on. */

import { awakeClock } from "@moorage/local";
import type { Run } from "../args/command-spec.ts";
import { CliError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import { reportOf } from "../errors/report.ts";
import { declaredAgents } from "../selection.ts";
import { appliedJson, closingLines } from "../update/applied-text.ts";
import { folderSignature, nextSave } from "../update/folder-watch.ts";
import { applyOnce, applyOptions } from "./update-apply.ts";

export const updateWatch: Run = async (invocation, host) => {
  const { output, interrupt } = host;
  const first = await declaredAgents(invocation, host.cwd);
  const { only } = applyOptions(first, invocation);
  const watched = first.filter(({ name, catalog }) => catalog !== null && (only === null || name === only));
  const folders = [...new Set(watched.flatMap(({ catalog }) => catalog?.path ?? []))];
  if (folders.length === 0)
    throw new CliError({
      code: "nothingToWatch",
      message: "no agent here is declared with a catalog",
      hint: "declare `catalog: ./catalog`",
    });
  const clock = awakeClock();
  const until = AbortSignal.any([interrupt, output.closed]);
  output.progress(`watching ${folders.join(", ")}; Ctrl-C ends`);
  // Empty: what was edited before is applied at once.
  for (let seen: string | null = ""; seen !== null && !until.aborted; ) {
    // Before it is read: what is saved meanwhile is seen by the next look.
    const before = folderSignature(folders);
    try {
      const agents = await declaredAgents(invocation, host.cwd);
      const applied = await applyOnce(agents, applyOptions(agents, invocation), invocation, host);
      if (output.json) output.object("UpdateResult", appliedJson(applied));
      else for (const line of closingLines(applied)) output.line(line);
    } catch (error) {
      const report = reportOf(error);
      if (report.code === "internal") throw error;
      if (output.json) output.object("Error", report);
      else output.warn(`${report.message}\n  → ${report.hint}`);
    }
    seen = await nextSave(folders, before, clock, until);
  }
  return interrupt.aborted ? exit.interrupted : exit.ok;
};
