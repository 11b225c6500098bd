/** The turns of one agent: which are in flight, since when, and when the last one ended. */
import type { LostTurn } from "./endings.ts";

export type Outcome = "succeeded" | "failed";

export interface Turn {
  readonly id: string;
  /** Milliseconds of the awake clock. */
  readonly since: number;
  /** ISO 8601, for people. */
  readonly startedAt: string;
  /** What it sees from its begin to its end; null: no catalog. */
  readonly catalog: TurnCatalog | null;
}

export interface TurnCatalog {
  /** A copy that nobody changes before the turn ends. */
  readonly directory: string;
  /** Null: nobody delivers it, and it never changes. */
  readonly hash: string | null;
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

  /** `catalog` is asked only once it is certain that the turn begins. */
  begin(now: number, at: string, catalog: () => TurnCatalog | null = () => null): Begun {
    if (this.#draining || this.#open.size >= turnsAtMost) {
      this.#counts.refused += 1;
      return this.#draining ? { kind: "draining" } : { kind: "tooMany", limit: turnsAtMost };
    }
    this.#counts.begun += 1;
    const turn: Turn = { id: `t${this.#counts.begun}`, since: now, startedAt: at, catalog: catalog() };
    this.#open.set(turn.id, turn);
    return { kind: "begun", turn };
  }

  /** The turn that it was; null when no such turn is in flight. */
  end(id: string, outcome: Outcome, now: number, at: string): Turn | null {
    const turn = this.#open.get(id);
    if (turn === undefined) return null;
    this.#open.delete(id);
    this.#counts[outcome] += 1;
    this.#last = { id, outcome, endedAt: at };
    this.#quietSince = now;
    return turn;
  }

  /** The one in flight; null when there is none of that id. */
  find(id: string): Turn | null {
    return this.#open.get(id) ?? null;
  }

  /** Directories of the catalogs that turns in flight see. */
  catalogs(): ReadonlySet<string> {
    return new Set([...this.#open.values()].flatMap(({ catalog }) => (catalog === null ? [] : [catalog.directory])));
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
