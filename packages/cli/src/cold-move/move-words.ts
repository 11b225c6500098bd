/** Cold moves in words: what each state means to somebody who waits, and what becomes of those that are under way. */
import type { ColdMove, MoveState } from "@moorage/core";
import { axes, axisWords } from "@moorage/core";

/** Which formats move. */
export function formatWords({ from, to }: Pick<ColdMove, "from" | "to">): string {
  return axes
    .filter((axis) => from[axis] !== to[axis])
    .map((axis) => `${axisWords[axis]} ${from[axis]} → ${to[axis]}`)
    .join(", ");
}

/** What goes on while it is in this state; the state's own name stands in front. */
export function stateWords(state: MoveState): string {
  switch (state.kind) {
    case "proposed":
      return "proposed: nothing is done before it is approved";
    case "approved":
      return "approved: the fleet is closed to every start";
    case "quiescing":
      return "quiescing: every agent ends at its turn boundary";
    case "stopped":
      return "stopped: nothing of the fleet lives, which was proven";
    case "switched":
      return "switched: the migration is under way";
    case "migrated":
      return "migrated: it is proven once more that nothing of the fleet lives";
    case "starting":
      return "starting: the new builds come up";
    case "returning":
      return `returning: ${returning[state.phase]}`;
    case "held":
      return `held: ${state.why}`;
    case "done":
      return "done: the fleet runs with the new formats";
    case "aborted":
      return `aborted: ${state.why}`;
    case "rolledBack":
      return "rolledBack: the fleet runs with the old formats again";
    default:
      return state satisfies never;
  }
}

const returning = {
  closing: "the fleet is closed to every start",
  clearing: "what came up with the new formats ends",
  switching: "the old builds and bundles take effect",
  opening: "it is proven that nothing new lives",
  starting: "the old builds come up",
} as const;

/** One sentence about a move that has not come to its end, with the command that goes on. */
export function underWayText(move: ColdMove): string {
  const { fleet, state } = move;
  const what = `fleet ${fleet}: a cold move (${formatWords(move)})`;
  if (state.kind === "proposed") return `${what} waits for approval: \`moorage mailbox list\``;
  if (state.kind === "held") {
    const [why = ""] = state.why.split("\n");
    return `${what} is held while ${state.at.kind}: ${why}; \`moorage mailbox list\` shows what to decide`;
  }
  return `${what} is under way, ${stateWords(state)}; \`moorage update apply\` goes on with it`;
}
