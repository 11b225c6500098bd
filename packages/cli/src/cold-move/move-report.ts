/** What came of carrying a cold move out: for people, for programs, and as an exit code. */
import type { ColdMove, MoveOutcome, Notice } from "@moorage/core";
import { isAsleep, isLeft } from "@moorage/core";
import { exit } from "../errors/exit-code.ts";
import { formatWords, stateWords, underWayText } from "./move-words.ts";

export interface MoveReport {
  readonly fleet: string;
  readonly outcome: MoveOutcome["kind"];
  /** As it is now; null: there is none, or another call has it in hand. */
  readonly move: ColdMove | null;
  /** What a person is asked now. */
  readonly notice: Notice | null;
}

export function reportOfMove(fleet: string, outcome: MoveOutcome): MoveReport {
  return {
    fleet,
    outcome: outcome.kind,
    move: "move" in outcome ? outcome.move : null,
    notice: "notice" in outcome ? outcome.notice : null,
  };
}

/** `wanted`: what the person asked for: the new formats, to stay with the old ones, or to go on with whatever was under way. */
export function exitOfMove({ outcome }: MoveReport, wanted: "new" | "old" | "either"): number {
  switch (outcome) {
    case "done":
      return wanted === "old" ? exit.worldMoved : exit.ok;
    case "aborted":
    case "rolledBack":
      return wanted === "new" ? exit.worldMoved : exit.ok;
    case "waiting":
    case "held":
      return exit.refused;
    case "busy":
      return exit.notConfirmed;
    case "takenOver":
    case "nothing":
      return exit.worldMoved;
    case "interrupted":
      return exit.interrupted;
    default:
      return outcome satisfies never;
  }
}

/** One sentence; the command that helps stands in it. */
export function moveText({ fleet, outcome, move }: MoveReport): string {
  switch (outcome) {
    case "done":
    case "aborted":
    case "rolledBack":
      return `fleet ${fleet}: ${move === null ? outcome : endWords(move)}`;
    case "waiting":
    case "held":
    case "interrupted":
      return move === null ? `fleet ${fleet}: ${outcome}` : underWayText(move);
    case "busy":
      return `fleet ${fleet}: another call has its cold move in hand; \`moorage update status\` shows how far it is`;
    case "takenOver":
      return `fleet ${fleet}: another call has gone on with its cold move; \`moorage update status\` shows how far it is`;
    case "nothing":
      return `fleet ${fleet}: there is no cold move`;
    default:
      return outcome satisfies never;
  }
}

/** Where nobody was started, the command that starts stands in it. */
function endWords(move: ColdMove): string {
  const { kind } = move.state;
  if (kind === "done" && isAsleep(move))
    return `done: the fleet has the new formats (${formatWords(move)}); \`moorage deploy\` starts it`;
  if (kind !== "done" && isLeft(move))
    return `${kind}: the fleet has the old formats again; who does not run stays stopped, and \`moorage deploy\` starts them`;
  if (kind === "rolledBack" && isAsleep(move)) return "rolledBack: the fleet has the old formats again";
  return stateWords(move.state);
}

/** For `--json`. */
export function moveJson({ fleet, outcome, move, notice }: MoveReport): object {
  return {
    fleet,
    outcome,
    id: move?.id ?? null,
    state: move?.state.kind ?? null,
    why: move !== null && "why" in move.state ? move.state.why : null,
    moves: move === null ? null : formatWords(move),
    from: move?.from ?? null,
    to: move?.to ?? null,
    members: move?.members ?? [],
    notice: notice?.id ?? null,
  };
}
