/** The gate of a fleet as a document: read strictly, made by the first start, shifted by compare-and-swap. */
import { count, fields, oneOf, orNull, readFormat, text } from "../plain-data.ts";
import type { Documents } from "../ports/documents.ts";
import type { RuntimeTarget } from "./fingerprint.ts";
import { type FleetGate, firstGate, shiftGate } from "./gate.ts";
import type { Move, MoveEffect, MoveEvent } from "./move.ts";
import { runtimeTarget } from "./read-target.ts";

const gateFormat = 1;

export interface StoredGate {
  readonly gate: FleetGate;
  readonly revision: number;
}

type Written = FleetGate & { readonly format: typeof gateFormat };

const written = fields<Written>({
  format: oneOf(gateFormat),
  epoch: count,
  open: orNull(runtimeTarget),
  mover: orNull(text),
});

export function writeGate(gate: FleetGate): string {
  return JSON.stringify({ format: gateFormat, ...gate } satisfies Written);
}

/** Null: nobody has started anything in this fleet. Throws a `PlainDataError`: what cannot be read lets nobody pass. */
export async function readGate(documents: Documents, fleet: string): Promise<StoredGate | null> {
  const stored = await documents.read("gate", fleet);
  if (stored === null) return null;
  const { epoch, open, mover } = readFormat(stored.text, gateFormat, written);
  return { gate: { epoch, open, mover }, revision: stored.revision };
}

/** The gate of the fleet; where there is none, it is made for these formats. Of several at once the first makes it. */
export async function gateFor(documents: Documents, fleet: string, target: RuntimeTarget): Promise<FleetGate> {
  for (;;) {
    const found = await readGate(documents, fleet);
    if (found !== null) return found.gate;
    const first = firstGate(target);
    if ((await documents.swap("gate", fleet, null, writeGate(first))) === "swapped") return first;
  }
}

/**
 * Closes or opens the gate in a move's name. `stillMine` is asked after the gate was read: a shift that comes late, when the
 * move has gone on without this executor, meets a gate that was shifted since. Null: it is not mine any more.
 */
export async function shift(
  documents: Documents,
  move: Move,
  effect: Extract<MoveEffect, { kind: "close" | "open" }>,
  stillMine: () => Promise<boolean>,
): Promise<MoveEvent | null> {
  for (;;) {
    const found = await readGate(documents, move.fleet);
    if (!(await stillMine())) return null;
    if (found === null) return { kind: "epochLost", epoch: 0 };
    const shifted = shiftGate(found.gate, effect, move);
    if (shifted.kind === "lost") return shifted.event;
    const swapped = await documents.swap("gate", move.fleet, found.revision, writeGate(shifted.gate));
    if (swapped === "swapped") return shifted.event;
  }
}
