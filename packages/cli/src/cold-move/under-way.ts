/** The cold moves of a scope that have not come to their end. */
import type { ColdMove } from "@moorage/core";
import { PlainDataError, readMove } from "@moorage/core";
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
