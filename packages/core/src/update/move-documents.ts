/** The cold move of a fleet as a document: proposed, read, swapped, turned round; and what its notices are about at this moment. */
import type { Facts } from "../mailbox/mailbox.ts";
import type { NoticeDraft } from "../mailbox/notice.ts";
import type { Documents } from "../ports/documents.ts";
import { stepMove } from "./cold-move.ts";
import { firstDifference } from "./fingerprint.ts";
import type { FleetGate } from "./gate.ts";
import { gateFor } from "./gate-documents.ts";
import type { Active, Move, Proposal, Proposed } from "./move.ts";
import { isEnd, proposeMove, wantsOwnDecision } from "./move.ts";
import { approvalNotice, heldNotice, noReturnNotice } from "./move-notices.ts";
import { readMove, writeMove } from "./read-move.ts";

export interface StoredMove {
  readonly move: Move;
  readonly revision: number;
}

/** The last move of the fleet, also when it has come to its end; null: there was none. Throws a `PlainDataError`. */
export async function readStoredMove(documents: Documents, fleet: string): Promise<StoredMove | null> {
  const stored = await documents.read("move", fleet);
  return stored === null ? null : { move: readMove(stored.text), revision: stored.revision };
}

/** The move as it is stored from here on; null: somebody has changed it, and nothing was written. */
export async function swapMove(documents: Documents, seen: number | null, move: Move): Promise<StoredMove | null> {
  const text = writeMove(move);
  await documents.swap("move", move.fleet, seen, text);
  // Whoever says that it moved may speak of this very write, which was sent twice on its way.
  const stored = await documents.read("move", move.fleet);
  return stored?.text === text ? { move, revision: stored.revision } : null;
}

export function hasEnded({ state }: Move): boolean {
  return isEnd(state);
}

export type PutForward =
  | Proposed
  /** Another one has not come to its end. */
  | { readonly kind: "underWay"; readonly move: Move }
  /** The fleet does not have the formats that it would move from. */
  | { readonly kind: "otherFormats"; readonly gate: FleetGate };

/** Proposes a move from the epoch that the fleet has now. Nothing is done before a person has approved it. */
export async function putForward(documents: Documents, proposal: Omit<Proposal, "epoch">): Promise<PutForward> {
  const { fleet, from } = proposal;
  for (;;) {
    const before = await readStoredMove(documents, fleet);
    // An answer was lost: it was this very proposal.
    if (before?.move.id === proposal.id) return { kind: "proposed", move: before.move };
    if (before !== null && !hasEnded(before.move)) return { kind: "underWay", move: before.move };
    const gate = await gateFor(documents, fleet, from);
    if (gate.open === null || firstDifference(gate.open, from) !== null) return { kind: "otherFormats", gate };
    const proposed = proposeMove({ ...proposal, epoch: gate.epoch });
    if (proposed.kind !== "proposed") return proposed;
    if ((await swapMove(documents, before?.revision ?? null, proposed.move)) !== null) return proposed;
  }
}

export type TurnedBack =
  | { readonly kind: "turned"; readonly move: Move }
  /** Behind the point of no return: this notice asks for the decision of its own. */
  | { readonly kind: "noReturn"; readonly draft: NoticeDraft }
  /** There is nothing to turn back: no move, an end, or it goes back already. */
  | { readonly kind: "nothing"; readonly move: Move | null };

/** A person wants the old pair back, without having been asked. Whoever carries the move out goes on from there. */
export async function turnBack(
  documents: Documents,
  fleet: string,
  word: { readonly by: string; readonly at: number },
): Promise<TurnedBack> {
  for (;;) {
    const stored = await readStoredMove(documents, fleet);
    if (stored === null) return { kind: "nothing", move: null };
    const { move, effects } = stepMove(stored.move, { kind: "goBack", ...word, acrossNoReturn: false });
    const asked = effects.find((effect) => effect.kind === "notice");
    if (move === stored.move)
      return asked === undefined ? { kind: "nothing", move } : { kind: "noReturn", draft: asked.draft };
    if ((await swapMove(documents, stored.revision, move)) !== null) return { kind: "turned", move };
  }
}

/** What a move asks a person in the state that it is in. The one about the point of no return goes before the other. */
export function questionsOf(move: Move): NoticeDraft[] {
  const { state } = move;
  if (isEnd(state)) return [];
  if (state.kind === "proposed") return [approvalNotice(move)];
  if (state.kind === "held") return [...noReturn(move, state.at), heldNotice(move, state.at, state.why)];
  return noReturn(move, state);
}

function noReturn(move: Move, at: Active): NoticeDraft[] {
  return wantsOwnDecision(move, at) ? [noReturnNotice(move, at)] : [];
}

/** What a notice about a cold move is about at this moment: for deciding on it. */
export function moveFacts(documents: Documents): Facts {
  return async ({ about, subject }) => {
    const stored = await readStoredMove(documents, subject.name);
    return stored === null ? null : (questionsOf(stored.move).find((draft) => draft.about === about) ?? null);
  };
}
