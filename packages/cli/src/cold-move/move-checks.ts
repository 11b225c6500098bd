/** What doctor says about cold moves: a fleet that moves, or waits in the middle of it, and the command that leads out. */
import type { Check } from "../doctor/check.ts";
import { note, problem, warning } from "../doctor/check.ts";
import type { AgentScope } from "../scope/agent-scope.ts";
import { movesUnderWay } from "./under-way.ts";

/** One for each move that has not come to its end. */
export async function moveChecks(scope: Pick<AgentScope, "machine">): Promise<Check[]> {
  return (await movesUnderWay(scope)).map(({ move, sentence }) => {
    switch (move?.state.kind) {
      case "proposed":
        return note("cold move", sentence, "`moorage mailbox list` has the notice that asks");
      case undefined:
      case "held":
        return problem("cold move", sentence, "`moorage update apply` tells the notice that asks, and asks again");
      default:
        return warning("cold move", sentence, "`moorage update apply` goes on with it, if no other call does");
    }
  });
}
