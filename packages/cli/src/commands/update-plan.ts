/** `moorage update plan`: what an update would do to each agent, when and why; it changes nothing. */
import { planUpdate } from "@moorage/core";
import type { Run } from "../args/command-spec.ts";
import { exit } from "../errors/exit-code.ts";
import { selectDeclared } from "../selection.ts";
import { observeFleets, unshownOnes } from "../update/observe-fleet.ts";
import { planText } from "../update/plan-text.ts";
import { untilShown } from "../update/shows-itself.ts";
import { withMachine } from "../update/with-machine.ts";

export const updatePlan: Run = async (invocation, host) => {
  const agents = await selectDeclared(invocation, host.cwd);
  return withMachine(invocation, host, "read", async (session, machine) => {
    const { output } = host;
    let views = await observeFleets(agents, session, machine, "edited");
    const unshown = views.flatMap(unshownOnes);
    if (unshown.length > 0) {
      await untilShown(unshown, session.scope, session.clock, host.interrupt);
      views = await observeFleets(agents, session, machine, "edited");
    }
    for (const view of views) {
      const plan = planUpdate(view.observation);
      // One object a fleet, as the contract has it.
      if (output.json) output.object("UpdatePlan", plan);
      else for (const line of planText(view, plan, output)) output.line(line);
    }
    return exit.ok;
  });
};
