/** The persisted form of a cold move: JSON, versioned, read strictly. */
import { count, fields, flag, listOf, oneOf, orNull, type Reader, readFormat, text, variants } from "../plain-data.ts";
import type { Active, Member, Move, MoveDecision, MoveState, Returning } from "./move.ts";
import { moveFormat } from "./move.ts";
import { runtimeTarget } from "./read-target.ts";

export function writeMove(move: Move): string {
  return JSON.stringify(move);
}

/** Throws a `PlainDataError` that names the place of what is unknown, missing or wrong. */
export function readMove(written: string): Move {
  return readFormat(written, moveFormat, move);
}

const active = {
  proposed: fields({ kind: oneOf("proposed") }),
  approved: fields({ kind: oneOf("approved") }),
  quiescing: fields({ kind: oneOf("quiescing"), cleared: flag }),
  stopped: fields({ kind: oneOf("stopped") }),
  switched: fields({ kind: oneOf("switched") }),
  migrated: fields({ kind: oneOf("migrated"), opening: flag }),
  starting: fields({ kind: oneOf("starting") }),
  returning: fields<Returning>({
    kind: oneOf("returning"),
    phase: oneOf("closing", "clearing", "switching", "opening", "starting"),
    cleared: flag,
    outcome: oneOf("aborted", "rolledBack"),
  }),
};

const state: Reader<MoveState> = variants<MoveState, "kind">("kind", {
  ...active,
  held: fields({ kind: oneOf("held"), at: variants<Active, "kind">("kind", active), why: text }),
  done: fields({ kind: oneOf("done") }),
  aborted: fields({ kind: oneOf("aborted"), why: text }),
  rolledBack: fields({ kind: oneOf("rolledBack") }),
});

const move = fields<Move>({
  format: oneOf(moveFormat),
  id: text,
  fleet: text,
  members: listOf(fields<Member>({ agent: text, oldBuild: text, newBuild: text })),
  from: runtimeTarget,
  to: runtimeTarget,
  bundle: orNull(text),
  migration: orNull(text),
  epoch: count,
  acrossNoReturn: flag,
  state,
  decisions: listOf(
    fields<MoveDecision>({ choice: oneOf("approve", "reject", "goOn", "goBack", "leave"), by: text, at: count }),
  ),
});
