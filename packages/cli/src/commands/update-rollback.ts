/** `moorage update rollback`: old content under a new sequence, published and delivered like anything else. */
import type { Run } from "../args/command-spec.ts";
import { checkNoMove } from "../cold-move/under-way.ts";
import { showProgress } from "../output/progress.ts";
import { countFlag, declaredAgents } from "../selection.ts";
import { appliedJson, closingLines } from "../update/applied-text.ts";
import { deliverPublished } from "../update/apply.ts";
import { catalogLines } from "../update/catalog-line.ts";
import { heldBackHere } from "../update/held-back.ts";
import { observeFleets } from "../update/observe-fleet.ts";
import { rollBack } from "../update/rollback.ts";
import { withMachine } from "../update/with-machine.ts";
import { applyOptions } from "./update-apply.ts";

export const updateRollback: Run = async (invocation, host) => {
  const to = countFlag(invocation, "to") ?? null;
  const agents = await declaredAgents(invocation, host.cwd);
  const options = applyOptions(agents, invocation);
  return withMachine(invocation, host, "write", async (session, machine) => {
    const progress = showProgress(host.output, () => session.clock.now());
    try {
      const views = await observeFleets(agents, session, machine, "published");
      const lines = catalogLines(agents);
      await checkNoMove(
        lines.map(({ channel }) => channel.fleet),
        session.scope,
      );
      const heldBack = await heldBackHere(session);
      const published = rollBack(lines, views, to, machine, host.output, heldBack);
      const applied = await deliverPublished(agents, published, options, { session, machine, progress, host });
      if (host.output.json) host.output.object("UpdateResult", appliedJson(applied));
      else for (const line of closingLines(applied)) host.output.line(line);
      return applied.exit;
    } finally {
      progress.close();
    }
  });
};
