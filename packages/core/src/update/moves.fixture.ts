/** Cold moves for tests: a proposal, and a fleet in which starters slip and executors are killed. */

import { stepMove } from "./cold-move.ts";
import { type RuntimeTarget, runtimeTargetOf } from "./fingerprint.ts";
import { build } from "./fingerprints.fixture.ts";
import { type FleetGate, firstGate, passGate, shiftGate, stillPasses } from "./gate.ts";
import {
  type Look,
  type Move,
  type MoveEffect,
  type MoveEvent,
  type Proposal,
  proposeMove,
  type Side,
} from "./move.ts";
import { readMove, writeMove } from "./read-move.ts";

export const oldTarget: RuntimeTarget = runtimeTargetOf(build());
export const wireTarget: RuntimeTarget = { ...oldTarget, wireVersion: 4 };
export const logTarget: RuntimeTarget = { ...oldTarget, eventLogSchema: 8 };
const members = ["scribe", "editor"].map((agent) => ({ agent, oldBuild: "b1", newBuild: "b2" }));

export function proposal(changes: Partial<Proposal> = {}): Proposal {
  const to = changes.to ?? wireTarget;
  return {
    id: "m1",
    fleet: "writers",
    epoch: 1,
    members,
    from: oldTarget,
    bundle: { digest: "d5", target: to },
    migration: null,
    ...changes,
    to,
  };
}

export function proposed(changes: Partial<Proposal> = {}): Move {
  const result = proposeMove(proposal(changes));
  if (result.kind !== "proposed") throw new Error(result.kind);
  return result.move;
}

interface Instance {
  readonly agent: string;
  readonly side: Side;
  /** Its attempt's Secret was there when it was created: else it can never start. */
  readonly live: boolean;
}

/** Somebody's start, between two of its requests. */
interface Starter {
  readonly agent: string;
  readonly attempt: number;
  readonly side: Side;
  stage: "read" | "secret" | "again" | "create";
  epoch: number;
}

export class FleetWorld {
  move: Move;
  gate: FleetGate = firstGate(oldTarget);
  intent: Side = "old";
  instances: Instance[] = members.map(({ agent }) => ({ agent, side: "old", live: true }));
  secrets = new Set<number>();
  starters: Starter[] = [];
  queue: MoveEffect[] = [];
  readonly faults: string[] = [];
  #attempts = 0;

  constructor(move: Move) {
    this.move = move;
  }

  tell(event: MoveEvent): void {
    const { move, effects } = stepMove(readMove(writeMove(this.move)), event);
    this.move = move;
    this.queue.push(...effects);
    const approved = move.decisions.some(({ choice }) => choice === "approve");
    const acts = effects.filter(({ kind }) => kind !== "notice" && kind !== "tell");
    if (!approved && acts.length > 0) this.faults.push(`${acts[0]?.kind} without an approval`);
  }

  kill(): void {
    this.queue = [];
    this.tell({ kind: "resumed" });
  }

  /** `lost`: it is done, and the executor is killed before it is told. */
  perform(fate: "well" | "lost" | "failed"): void {
    const effect = this.queue.shift();
    if (effect === undefined) return this.tell({ kind: "resumed" });
    if (fate === "failed" && effect.kind !== "notice" && effect.kind !== "tell")
      return this.tell({ kind: "failed", why: `${effect.kind} failed` });
    const event = this.#do(effect);
    this.#judge();
    if (fate === "lost") return this.kill();
    if (event !== null) this.tell(event);
  }

  #do(effect: MoveEffect): MoveEvent | null {
    switch (effect.kind) {
      case "close":
      case "open": {
        const shifted = shiftGate(this.gate, effect, this.move);
        if (shifted.kind === "shifted") this.gate = shifted.gate;
        return shifted.event;
      }
      case "clear":
        this.secrets.clear();
        this.instances = this.instances.filter(({ live }) => live);
        return { kind: "cleared" };
      case "stop":
        this.instances = this.instances.filter(({ side }) => !effect.sides.includes(side));
        return null;
      case "look":
        return { kind: "seen", look: this.look() };
      case "switch":
        this.intent = effect.side;
        return { kind: "switched", side: effect.side };
      case "migrate":
        if (this.instances.some(({ live }) => live)) this.faults.push("it migrates under a running agent");
        return { kind: "migrated" };
      case "start":
        for (const agent of effect.agents) this.begin(agent, effect.side);
        return null;
      case "notice":
      case "tell":
        return null;
      default:
        return effect satisfies never;
    }
  }

  look(): Look {
    const of = (side: Side): string[] =>
      this.instances.filter((one) => one.live && one.side === side).map(({ agent }) => agent);
    const stillborn = this.instances.filter(({ live }) => !live).length;
    return { old: of("old"), new: of("new"), unjudged: [], leftovers: this.secrets.size + stillborn };
  }

  begin(agent: string, side: Side): void {
    this.#attempts += 1;
    this.starters.push({ agent, attempt: this.#attempts, side, stage: "read", epoch: 0 });
  }

  /** One request of one of the starters. */
  start(which: number): void {
    const starter = this.starters[which % Math.max(this.starters.length, 1)];
    if (starter === undefined) return;
    const over = (): void => {
      this.secrets.delete(starter.attempt);
      this.starters = this.starters.filter((one) => one !== starter);
    };
    switch (starter.stage) {
      case "read": {
        const { from, to } = this.move;
        const passage = passGate(this.gate, starter.side === "new" ? to : from);
        if (passage.kind !== "pass") return over();
        Object.assign(starter, { stage: "secret", epoch: passage.epoch });
        return;
      }
      case "secret":
        this.secrets.add(starter.attempt);
        starter.stage = "again";
        return;
      case "again":
        if (!stillPasses(starter.epoch, this.gate)) return over();
        starter.stage = "create";
        return;
      case "create": {
        const { agent, side, attempt } = starter;
        const free = this.instances.every((one) => one.agent !== agent);
        if (free) this.instances.push({ agent, side, live: this.secrets.has(attempt) });
        over();
        this.#judge();
        return;
      }
      default:
        starter.stage satisfies never;
    }
  }

  #judge(): void {
    const sides = new Set(this.instances.filter(({ live }) => live).map(({ side }) => side));
    if (sides.size > 1) this.faults.push(`both formats live while it is ${this.move.state.kind}`);
  }
}
