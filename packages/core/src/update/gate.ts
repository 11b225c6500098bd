/** The gate of a fleet: which formats may start, and since which epoch. A starter passes it twice, a cold move shifts it. */
import type { Axis, RuntimeTarget } from "./fingerprint.ts";
import { firstDifference } from "./fingerprint.ts";
import type { Move, MoveEffect, MoveEvent } from "./move.ts";

export interface FleetGate {
  /** Rises with every shift. */
  readonly epoch: number;
  /** The formats that may start; null: closed to all, a cold move is under way. */
  readonly open: RuntimeTarget | null;
  /** The cold move that shifted it last. */
  readonly mover: string | null;
}

/** Of a fleet that nobody has started before: it has the formats of the first. */
export function firstGate(target: RuntimeTarget): FleetGate {
  return { epoch: 1, open: target, mover: null };
}

export type Passage =
  /** With this epoch; it is compared once the attempt's Secret is written. */
  | { readonly kind: "pass"; readonly epoch: number }
  | { readonly kind: "closed"; readonly mover: string | null }
  /** Other formats than the fleet's: that takes a cold move. */
  | {
      readonly kind: "otherFormats";
      readonly axis: Axis;
      readonly fleet: string | number;
      readonly build: string | number;
    };

/** Before a start writes anything. */
export function passGate({ epoch, open, mover }: FleetGate, build: RuntimeTarget): Passage {
  if (open === null) return { kind: "closed", mover };
  const axis = firstDifference(open, build);
  return axis === null
    ? { kind: "pass", epoch }
    : { kind: "otherFormats", axis, fleet: open[axis], build: build[axis] };
}

/** After the attempt's Secret is written and before the instance is created: the very same epoch, or nothing is created. */
export function stillPasses(epoch: number, now: FleetGate): boolean {
  return now.open !== null && now.epoch === epoch;
}

export type Shifted =
  /** To be written in the same step in which the gate was read. */
  | { readonly kind: "shifted"; readonly gate: FleetGate; readonly event: MoveEvent }
  | { readonly kind: "lost"; readonly event: MoveEvent };

/** What a cold move's `close` or `open` does to the gate. Done twice in one move's name, it is done. */
export function shiftGate(
  gate: FleetGate,
  effect: Extract<MoveEffect, { kind: "close" | "open" }>,
  { id, from, to }: Pick<Move, "id" | "from" | "to">,
): Shifted {
  if (gate.epoch !== effect.epoch && gate.mover !== id)
    return { kind: "lost", event: { kind: "epochLost", epoch: gate.epoch } };
  const epoch = Math.max(gate.epoch, effect.epoch) + 1;
  if (effect.kind === "close")
    return { kind: "shifted", gate: { epoch, open: null, mover: id }, event: { kind: "closed", epoch } };
  const { side } = effect;
  const open = side === "new" ? to : from;
  return { kind: "shifted", gate: { epoch, open, mover: id }, event: { kind: "opened", epoch, side } };
}
