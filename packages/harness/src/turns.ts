/** The turns of one agent: which are in flight, since when, and when the last one ended. */
import type { LostTurn } from "./endings.ts";

export type Outcome = "succeeded" | "failed";

export interface Turn {
  readonly id: string;
  /** Milliseconds of the awake clock. */
  readonly since: number;
  /** ISO 8601, for people. */
  readonly startedAt: string;
}

export interface LastTurn {
  readonly id: string;
  readonly outcome: Outcome;
  /** ISO 8601, for people. */
  readonly endedAt: string;
}

export interface TurnCounts {
  readonly begun: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Refused: draining, or too many in flight. */
  readonly refused: number;
}

export type Begun =
  | { readonly kind: "begun"; readonly turn: Turn }
  | { readonly kind: "draining" }
  | { readonly kind: "tooMany"; readonly limit: number };

/** An agent that opens turns and never closes them runs into this; a real one overlaps a few. */
export const turnsAtMost = 1_000;

export class Turns {
  readonly #open = new Map<string, Turn>();
  #counts = { begun: 0, succeeded: 0, failed: 0, refused: 0 };
  #last: LastTurn | null = null;
  #draining = false;
  #quietSince: number;

  /** `now` in milliseconds of the awake clock: the idle time counts from here, whether an agent ever connects or not. */
  constructor(now: number) {
    this.#quietSince = now;
  }

  begin(now: number, at: string): Begun {
    if (this.#draining || this.#open.size >= turnsAtMost) {
      this.#counts.refused += 1;
      return this.#draining ? { kind: "draining" } : { kind: "tooMany", limit: turnsAtMost };
    }
    this.#counts.begun += 1;
    const turn: Turn = { id: `t${this.#counts.begun}`, since: now, startedAt: at };
    this.#open.set(turn.id, turn);
    return { kind: "begun", turn };
  }

  /** False when no such turn is in flight. */
  end(id: string, outcome: Outcome, now: number, at: string): boolean {
    if (!this.#open.delete(id)) return false;
    this.#counts[outcome] += 1;
    this.#last = { id, outcome, endedAt: at };
    this.#quietSince = now;
    return true;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  /** From now on no turn begins any more. */
  drain(): void {
    this.#draining = true;
  }

  get draining(): boolean {
    return this.#draining;
  }

  get inFlight(): number {
    return this.#open.size;
  }

  get counts(): TurnCounts {
    return { ...this.#counts };
  }

  get last(): LastTurn | null {
    return this.#last;
  }

  /** The oldest first, at most that many. */
  oldest(atMost: number): Turn[] {
    const turns: Turn[] = [];
    for (const turn of this.#open.values()) {
      if (turns.length === atMost) break;
      turns.push(turn);
    }
    return turns;
  }

  /** Milliseconds of the awake clock without any turn; 0 while one is in flight. */
  quietMs(now: number): number {
    return this.#open.size > 0 ? 0 : now - this.#quietSince;
  }

  /** What an end at `now` would lose. */
  lostAt(now: number): LostTurn[] {
    return this.oldest(this.#open.size).map(({ id, since }) => ({ id, ageMs: now - since }));
  }
}
