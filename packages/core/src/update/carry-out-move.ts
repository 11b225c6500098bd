/** Carries out a cold move: each state is persisted by compare-and-swap before its effects, so that whoever comes next goes on. */
import type { Mailbox } from "../mailbox/mailbox.ts";
import type { Notice } from "../mailbox/notice.ts";
import type { Abort } from "../ports/abort.ts";
import type { Clock } from "../ports/clock.ts";
import type { Documents } from "../ports/documents.ts";
import type { MoveHands } from "../ports/move-hands.ts";
import { redactor } from "../redact.ts";
import { stepMove } from "./cold-move.ts";
import { shift } from "./gate-documents.ts";
import { isEnd, type Look, type Move, type MoveEffect, type MoveEvent } from "./move.ts";
import { wordOf } from "./move-decisions.ts";
import { questionsOf, readStoredMove, type StoredMove, swapMove } from "./move-documents.ts";

export interface MovePorts {
  readonly documents: Documents;
  readonly mailbox: Mailbox;
  readonly hands: MoveHands;
  readonly clock: Clock;
  /** Milliseconds since 1970, for notices and decisions. */
  readonly time: () => number;
  /** Aborts when the person wants the call to end: the move stays where it is, and the next call goes on. */
  readonly signal: Abort;
  /** For the journal: each state as it is entered. */
  readonly tell: (move: Move, detail: string | null) => void;
}

export interface CarryOut {
  readonly fleet: string;
  /** Milliseconds that one state may take before the move is held and a person is asked. */
  readonly deadlineMs: number;
}

export type MoveOutcome =
  | { readonly kind: "done" | "aborted" | "rolledBack"; readonly move: Move }
  /** Nothing has been done: a person has to approve it. */
  | { readonly kind: "waiting"; readonly move: Move; readonly notice: Notice }
  /** A person has to say whether it goes on or back. */
  | { readonly kind: "held"; readonly move: Move; readonly notice: Notice }
  /** Another executor has this fleet in hand. */
  | { readonly kind: "busy" }
  /** Another executor has gone on with it meanwhile; null: it is gone. */
  | { readonly kind: "takenOver"; readonly move: Move | null }
  | { readonly kind: "interrupted"; readonly move: Move }
  /** No move was ever proposed. */
  | { readonly kind: "nothing" };

const pauseMs = 500;
const redact = redactor([]);

/**
 * Goes on with the fleet's move as far as it goes without a person. Rejects with a fault of the documents, or a
 * `PlainDataError`; what was persisted stands then, and the next call goes on from there.
 */
export async function carryOutMove(request: CarryOut, ports: MovePorts): Promise<MoveOutcome> {
  const letGo = await ports.hands.hold();
  if (letGo === null) return { kind: "busy" };
  try {
    const stored = await readStoredMove(ports.documents, request.fleet);
    return stored === null ? { kind: "nothing" } : await new Executor(request, ports, stored).run();
  } finally {
    await letGo();
  }
}

class Executor {
  readonly #fleet: string;
  readonly #deadlineMs: number;
  readonly #ports: MovePorts;
  #stored: StoredMove;
  #queue: MoveEffect[] = [];
  /** When the state was entered, or taken up. */
  #since: number;
  #look: Look | null = null;
  #taken = false;

  constructor({ fleet, deadlineMs }: CarryOut, ports: MovePorts, stored: StoredMove) {
    this.#fleet = fleet;
    this.#deadlineMs = deadlineMs;
    this.#ports = ports;
    this.#stored = stored;
    this.#since = ports.clock.now();
    this.#queue = [...stepMove(stored.move, { kind: "resumed" }).effects];
  }

  async run(): Promise<MoveOutcome> {
    const { clock, signal } = this.#ports;
    await this.#tidy();
    for (;;) {
      const { move } = this.#stored;
      if (this.#taken) return this.#takenOver();
      const { state } = move;
      if (isEnd(state)) {
        await this.#tidy();
        return { kind: state.kind, move };
      }
      const waits = state.kind === "proposed" || state.kind === "held";
      const effect = waits ? undefined : this.#queue.shift();
      if (effect !== undefined) {
        if (signal.aborted) return { kind: "interrupted", move };
        const event = await this.#perform(effect);
        if (event !== null) await this.#tell(event);
        continue;
      }
      const word = await wordOf(move, this.#ports.mailbox, this.#ports.hands);
      if (word !== null && (await this.#tell(word))) continue;
      if (waits) return this.#ask(state.kind === "proposed" ? "waiting" : "held");
      const lasted = clock.now() - this.#since;
      if (lasted >= this.#deadlineMs) await this.#tell({ kind: "deadline", waitsFor: waitsFor(this.#look) });
      else await clock.sleep(Math.min(pauseMs, this.#deadlineMs - lasted), signal);
      if (signal.aborted) return { kind: "interrupted", move: this.#stored.move };
      if (this.#queue.length === 0) await this.#tell({ kind: "resumed" });
    }
  }

  /** What the world says; true: the move is another one now, and it is persisted. */
  async #tell(event: MoveEvent): Promise<boolean> {
    const { move, revision } = this.#stored;
    const step = stepMove(move, event);
    if (step.move === move) {
      this.#queue.unshift(...step.effects);
      return false;
    }
    if (step.move.state.kind === "held") await this.#askBefore(step.effects);
    const stored = await swapMove(this.#ports.documents, revision, step.move);
    if (stored === null) {
      await this.#catchUp();
      return true;
    }
    this.#enter(stored, step.effects);
    if (move.state.kind === "held" || move.state.kind === "proposed") await this.#tidy();
    return true;
  }

  /** Asked before it is held: whoever is killed in between leaves a question that is refused, and never a fleet that asks nothing. */
  async #askBefore(effects: readonly MoveEffect[]): Promise<void> {
    const { mailbox, time } = this.#ports;
    for (const effect of effects) if (effect.kind === "notice") await mailbox.raise(effect.draft, time());
  }

  #enter(stored: StoredMove, effects: readonly MoveEffect[]): void {
    this.#stored = stored;
    this.#since = this.#ports.clock.now();
    this.#look = null;
    // What the state before wanted is over with it.
    this.#queue = [...effects];
    // Told at once, since what comes next may be long.
    for (const effect of effects) if (effect.kind === "tell") this.#ports.tell(stored.move, effect.detail);
  }

  /** A person's word came in between: it goes on from there. Anything else was another executor. */
  async #catchUp(): Promise<void> {
    const now = await readStoredMove(this.#ports.documents, this.#fleet);
    const { move } = this.#stored;
    const sameMove = now !== null && now.move.id === move.id;
    if (sameMove && now.move.decisions.length > move.decisions.length)
      this.#enter(now, stepMove(now.move, { kind: "resumed" }).effects);
    else this.#taken = true;
  }

  /** Whether nobody has changed the move since this executor last wrote or read it. */
  async #isMine(): Promise<boolean> {
    const now = await readStoredMove(this.#ports.documents, this.#fleet);
    return now?.revision === this.#stored.revision;
  }

  async #perform(effect: MoveEffect): Promise<MoveEvent | null> {
    const { documents, mailbox, time } = this.#ports;
    switch (effect.kind) {
      case "tell":
        return null;
      case "notice":
        await mailbox.raise(effect.draft, time());
        return null;
      case "close":
      case "open": {
        const event = await shift(documents, this.#stored.move, effect, () => this.#isMine());
        if (event === null) await this.#catchUp();
        return event;
      }
      case "clear":
      case "stop":
      case "look":
      case "switch":
      case "migrate":
      case "start":
        if (await this.#isMine()) return this.#act(effect);
        await this.#catchUp();
        return null;
      default:
        return effect satisfies never;
    }
  }

  async #act(effect: Exclude<MoveEffect, { kind: "tell" | "notice" | "close" | "open" }>): Promise<MoveEvent | null> {
    const { hands } = this.#ports;
    try {
      switch (effect.kind) {
        case "clear":
          await hands.clear();
          return { kind: "cleared" };
        case "stop": {
          const look = await hands.look();
          const alive = effect.sides.flatMap((side) => look[side]);
          if (alive.length > 0) await hands.stop(alive);
          return null;
        }
        case "look":
          this.#look = await hands.look();
          return { kind: "seen", look: this.#look };
        case "switch":
          await hands.switch(effect.side);
          return { kind: "switched", side: effect.side };
        case "migrate":
          await hands.migrate(effect.migration);
          return { kind: "migrated" };
        case "start":
          await hands.start(effect.side, effect.agents);
          return null;
        default:
          return effect satisfies never;
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { kind: "failed", why: redact(`${effect.kind} failed: ${why}`) };
    }
  }

  /** Asks the person that has not answered yet; of two questions the more pressing one. */
  async #ask(kind: "waiting" | "held"): Promise<MoveOutcome> {
    const { mailbox, time } = this.#ports;
    const { move } = this.#stored;
    const drafts = questionsOf(move);
    // The one about the point of no return is asked once somebody wants to go back.
    const asked = this.#queue.find((effect) => effect.kind === "notice")?.draft ?? drafts.at(-1);
    if (asked === undefined) throw new Error(`a move that is ${move.state.kind} asks nothing`);
    const { notice } = await mailbox.raise(asked, time());
    return { kind, move, notice };
  }

  /** Notices that ask what is no question any more. */
  async #tidy(): Promise<void> {
    const { mailbox, time } = this.#ports;
    const open = new Set(questionsOf(this.#stored.move).map(({ about }) => about));
    const over = (["coldMove", "moveHeld", "pointOfNoReturn"] as const).filter((about) => !open.has(about));
    const subject = { kind: "fleet", name: this.#fleet } as const;
    await mailbox.withdraw(
      over.map((about) => ({ about, subject })),
      time(),
    );
  }

  async #takenOver(): Promise<MoveOutcome> {
    return { kind: "takenOver", move: (await readStoredMove(this.#ports.documents, this.#fleet))?.move ?? null };
  }
}

function waitsFor(look: Look | null): string {
  if (look === null) return "nothing could be seen";
  const told = [
    ...look.old.map((agent) => `${agent} lives with the old formats`),
    ...look.new.map((agent) => `${agent} lives with the new formats`),
    ...look.unjudged.map((agent) => `nobody can tell whether ${agent} lives`),
    ...(look.leftovers > 0 ? [`${look.leftovers} leftovers of attempts are there`] : []),
  ];
  return told.length === 0 ? "nothing lives" : told.join(", ");
}
