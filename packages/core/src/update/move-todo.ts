/** What a cold move needs done in each of its states, from the beginning: whoever takes it up does that, and harms nothing. */
import type { Move, MoveEffect, Returning, Side } from "./move.ts";
import { isAsleep } from "./move.ts";

export function moveTodo(move: Move): MoveEffect[] {
  const { state, epoch, migration } = move;
  switch (state.kind) {
    case "approved":
      return [{ kind: "close", epoch }];
    case "quiescing":
      if (isAsleep(move)) return state.cleared ? [{ kind: "look" }] : [{ kind: "clear" }];
      return state.cleared
        ? [{ kind: "stop", sides: ["old", "new"] }, { kind: "look" }]
        : [{ kind: "stop", sides: ["old", "new"] }, { kind: "clear" }];
    case "stopped":
      return [{ kind: "switch", side: "new" }];
    case "switched":
      return migration === null ? [] : [{ kind: "migrate", migration }];
    case "migrated":
      return state.opening ? [{ kind: "open", epoch, side: "new" }] : [{ kind: "clear" }, { kind: "look" }];
    case "starting":
      return start(move, "new");
    case "returning":
      return backTodo(move, state);
    case "proposed":
    case "held":
    case "done":
    case "aborted":
    case "rolledBack":
      return [];
    default:
      return state satisfies never;
  }
}

function backTodo(move: Move, { phase, cleared }: Returning): MoveEffect[] {
  const { epoch } = move;
  switch (phase) {
    case "closing":
      return [{ kind: "close", epoch }];
    case "clearing":
      return [{ kind: "stop", sides: ["new"] }, cleared ? { kind: "look" } : { kind: "clear" }];
    case "switching":
      return [{ kind: "switch", side: "old" }];
    case "opening":
      return cleared ? [{ kind: "open", epoch, side: "old" }] : [{ kind: "look" }];
    case "starting":
      return start(move, "old");
    default:
      return phase satisfies never;
  }
}

/** A start of what runs is a no-op. */
function start({ members }: Move, side: Side): MoveEffect[] {
  return [{ kind: "start", side, agents: members.map(({ agent }) => agent) }, { kind: "look" }];
}
