/** Watches a fleet: which formats live, what the documents say, whether a person has decided what is done. */
import type { ColdMove, RuntimeTarget } from "@moorage/core";
import { firstDifference, isPastNoReturn, readMove, readNotice } from "@moorage/core";
import type { Witness } from "../nodes.ts";

export type FleetPromise = "P7" | "P8" | "P9" | "P10" | "P11" | "P12" | "told" | "answer" | "rest";

export interface FleetViolation {
  readonly promise: FleetPromise;
  readonly at: number;
  readonly message: string;
}

/** In every start's Secret, and nowhere else. */
export const secretValue = "not-a-real-value-3f9c";

export class FleetPromises implements Witness {
  readonly violations: FleetViolation[] = [];
  /** What lives, by uid. */
  readonly alive: Map<string, RuntimeTarget> = new Map();
  readonly #now: () => number;
  readonly #targetOf: (uid: string) => RuntimeTarget | undefined;
  /** Choices that people made, as the mailbox has them. */
  readonly #decided = new Set<string>();
  readonly #turned = new Set<string>();
  #move: ColdMove | null = null;

  constructor(now: () => number, targetOf: (uid: string) => RuntimeTarget | undefined) {
    this.#now = now;
    this.#targetOf = targetOf;
  }

  broken(promise: FleetPromise, message: string): void {
    this.violations.push({ promise, at: this.#now(), message });
  }

  began(_identity: string, uid: string): void {
    const target = this.#targetOf(uid);
    if (target === undefined) return;
    for (const [other, its] of this.alive) {
      const axis = firstDifference(its, target);
      if (axis !== null) this.broken("P10", `${uid} begins with another ${axis} beside ${other}`);
    }
    this.alive.set(uid, target);
  }

  ended(_identity: string, uid: string): void {
    this.alive.delete(uid);
  }

  removedUnconfirmed(uid: string): void {
    this.broken("P10", `${uid} was removed while it lives`);
  }

  /** A person turns a move back without having been asked. */
  turns(by: string): void {
    this.#turned.add(by);
  }

  written(kind: string, name: string, text: string | null): void {
    if (text === null) return;
    if (text.includes(secretValue)) this.broken("P7", `the ${kind} ${name} tells a secret value`);
    if (kind === "notice") {
      const { state, about } = readNotice(text);
      if (state.kind === "decided") this.#decided.add(`${about} ${state.choice} ${state.by} ${state.at}`);
    }
    if (kind === "move") this.#moved(readMove(text));
  }

  /** Something that cannot be taken back is done in the move's name. */
  acts(what: string): void {
    const approved = this.#move?.decisions.some(({ choice }) => choice === "approve") === true;
    if (!approved) this.broken("P11", `${what} without an approval`);
  }

  migrates(): void {
    this.acts("it migrates");
    if (this.alive.size > 0) this.broken("P10", `it migrates while ${[...this.alive.keys()].join(", ")} lives`);
  }

  #moved(move: ColdMove): void {
    const before = this.#move?.id === move.id ? this.#move : null;
    this.#move = move;
    const words = move.decisions.map(({ choice, by, at }) => `${choice} ${by} ${at}`);
    if (new Set(words).size < words.length) this.broken("P11", "one decision is used twice");
    const abouts = ["coldMove", "moveHeld", "pointOfNoReturn"];
    for (const { choice, by, at } of move.decisions.slice(before?.decisions.length ?? 0)) {
      const inMailbox = abouts.some((about) => this.#decided.has(`${about} ${choice} ${by} ${at}`));
      if (!inMailbox && !this.#turned.has(by)) this.broken("P11", `${by} never decided to ${choice}`);
    }
    const left = before?.state.kind === "held" ? before.state.at : before?.state;
    const returns = move.state.kind === "returning" && left !== undefined && left.kind !== "returning";
    const past = left !== undefined && isActive(left) && before !== null && isPastNoReturn(before, left);
    const last = move.decisions.at(-1);
    if (returns && past && !this.#decided.has(`pointOfNoReturn goBack ${last?.by} ${last?.at}`))
      this.broken("P11", "it goes back from behind the point of no return without a decision of its own");
  }
}

type Active = Parameters<typeof isPastNoReturn>[1];

function isActive(state: ColdMove["state"]): state is Active {
  return !["held", "done", "aborted", "rolledBack"].includes(state.kind);
}
