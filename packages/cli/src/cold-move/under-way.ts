/** The cold moves of a scope that have not come to their end. */
import type { ColdMove } from "@moorage/core";
import { PlainDataError, readMove } from "@moorage/core";
import { CliError } from "../errors/cli-error.ts";
import type { AgentScope } from "../scope/agent-scope.ts";
import { underWayText } from "./move-words.ts";

export interface MoveUnderWay {
  readonly fleet: string;
  /** Null: another version wrote it. */
  readonly move: ColdMove | null;
  /** For people: where it is, and the command that goes on. */
  readonly sentence: string;
}

/** In the order of the fleets. Empty on a cluster. */
export async function movesUnderWay({ machine }: Pick<AgentScope, "machine">): Promise<MoveUnderWay[]> {
  if (machine === null) return [];
  return (await machine.documents.list("move")).flatMap(({ name, text }): MoveUnderWay[] => {
    try {
      const move = readMove(text);
      const { kind } = move.state;
      if (kind === "done" || kind === "aborted" || kind === "rolledBack") return [];
      return [{ fleet: name, move, sentence: underWayText(move) }];
    } catch (error) {
      if (!(error instanceof PlainDataError)) throw error;
      const sentence = `fleet ${name}: its cold move cannot be read, another version of moorage wrote it; use that one`;
      return [{ fleet: name, move: null, sentence }];
    }
  });
}

/** Whether something was done in its name: before that it only waits, and nothing else has to wait for it. */
function isBegun({ move }: Pick<MoveUnderWay, "move">): boolean {
  return move?.state.kind !== "proposed";
}

/** What a fleet is given while it moves, would come behind the move's back. Throws `moveUnderWay`, exit 4. */
export async function checkNoMove(fleets: readonly string[], scope: Pick<AgentScope, "machine">): Promise<void> {
  const found = (await movesUnderWay(scope)).find((one) => fleets.includes(one.fleet) && isBegun(one));
  if (found === undefined) return;
  const { sentence } = found;
  throw new CliError({
    code: "moveUnderWay",
    message: `${sentence}; nothing else is published for the fleet or given to it before that has come to its end`,
    hint: "`moorage update apply` goes on with the move, or tells the notice that asks; then run it again",
    details: { fleet: found.fleet },
  });
}
