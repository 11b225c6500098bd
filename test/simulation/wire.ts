/** How the requests of one caller travel: latencies, injected faults, its clock, its machine's sleep and its death. */
import type { Abort, Clock, Hint, Refusal, Refused, Unavailable, UnknownOutcome } from "@moorage/core";
import type { Chance } from "./chance.ts";
import { chanceOf } from "./chance.ts";
import type { Crash, Fault, FaultKind, History } from "./history.ts";
import type { Change, MemoryStore } from "./memory-store.ts";
import { selectorOf } from "./memory-store.ts";
import type { Delivery, Operation } from "./memory-substrate.ts";
import type { Scheduler } from "./scheduler.ts";
import { summary } from "./summary.ts";

/** What refuses or breaks everybody's requests for a while. */
export interface Weather {
  outage: boolean;
  /** What every create of an instance is refused with. */
  refusal: Refusal | null;
}

export interface WireOptions {
  readonly history: Pick<History, "seed" | "faults">;
  readonly caller: number;
  readonly crash: Crash | null;
  /** Nothing is slow. */
  readonly calm: boolean;
  readonly scheduler: Scheduler;
  readonly store: MemoryStore;
  readonly weather: Weather;
  readonly tell: (line: string) => void;
}

/** The shortest sleep: without it, one that rounds to nothing would never let time pass. */
const tickMs = 0.01;

type Lost = Refused | UnknownOutcome | Unavailable;

const down: Unavailable = { kind: "unavailable", detail: "503: service unavailable", retryAfterMs: null };
const timedOut: Unavailable = { kind: "unavailable", detail: "no answer within 30 s", retryAfterMs: null };
const unknown: UnknownOutcome = { kind: "unknownOutcome", detail: "connection reset after sending" };

function busy(chance: Chance): Unavailable {
  return { kind: "unavailable", detail: "429: too many requests", retryAfterMs: chance.between(100, 5_000) };
}

/** Milliseconds one way: mostly short, now and then long, so that requests overtake one another. */
function latency(chance: Chance, calm: boolean): number {
  const kind = chance.fraction();
  if (kind < 0.7 || calm) return chance.fraction() * 5;
  return kind < 0.96 ? chance.fraction() * 200 : chance.fraction() * 3_000;
}

function hintOf(change: Change): Hint {
  return change.kind === "removed"
    ? { kind: "removed", last: change.instance }
    : { kind: "changed", instance: change.instance };
}

const readFaults = ["busy", "error", "timeout"] as const satisfies readonly FaultKind[];
const writeFaults = [
  "busy",
  "error",
  "lost",
  "dropped",
  "late",
  "retried",
  "touched",
] as const satisfies readonly FaultKind[];
const followFaults = [
  "silent",
  "expired",
  "ends",
  "throttled",
  "slow",
  "repeats",
] as const satisfies readonly FaultKind[];

export class Wire implements Delivery {
  readonly #options: WireOptions;
  readonly #given: ReadonlyMap<number, FaultKind>;
  readonly applied: Fault[] = [];
  /** When the last effect of this caller took place, and when the last hint that it got was true. */
  effectAt = 0;
  dead = false;
  refusals = 0;
  #operations = 0;
  #frozenUntil = 0;
  #slept = 0;

  constructor(options: WireOptions) {
    this.#options = options;
    const { faults } = options.history;
    const mine = faults.kind === "given" ? faults.list.filter(({ caller }) => caller === options.caller) : [];
    this.#given = new Map(mine.map(({ operation, kind }) => [operation, kind]));
  }

  readonly clock: Clock = {
    now: () => this.#options.scheduler.now() - this.#slept,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const { died } = this.#begin("sleep");
        if (died || signal?.aborted === true) {
          if (!this.dead) resolve();
          return;
        }
        const due = this.clock.now() + ms;
        let cancel = (): void => undefined;
        const wake = (): void => {
          cancel();
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const look = (): void => {
          if (this.clock.now() < due) cancel = this.#arrive(Math.max(due - this.clock.now(), tickMs), look);
          else wake();
        };
        signal?.addEventListener("abort", wake);
        cancel = this.#arrive(Math.max(ms, tickMs), look);
      }),
  };

  /** The machine sleeps from now on, for that long. */
  freeze(ms: number): void {
    const now = this.#options.scheduler.now();
    const until = Math.max(this.#frozenUntil, now + ms);
    this.#slept += until - Math.max(this.#frozenUntil, now);
    this.#frozenUntil = until;
  }

  read<T>(operation: Operation, name: string, effect: () => T): Promise<T | Refused | Unavailable> {
    return new Promise((resolve) => {
      const { died, chance, fault } = this.#begin(operation, readFaults);
      if (died) return;
      const answer = (ms: number, value: T | Refused | Unavailable): void => {
        this.#arrive(ms, () => {
          this.#tell(`${operation} ${name}`, value as object);
          resolve(value);
        });
      };
      if (this.#options.weather.outage) return answer(chance.between(1, 2_000), down);
      if (fault === "busy") return answer(this.#latency(chance), busy(chance));
      if (fault === "error") return answer(this.#latency(chance), down);
      if (fault === "timeout") return answer(chance.between(5_000, 30_000), timedOut);
      this.#send(this.#latency(chance), () => answer(this.#latency(chance), effect()));
    });
  }

  write<T>(operation: Operation, name: string, effect: () => T): Promise<T | Lost> {
    return new Promise((resolve) => {
      const { died, chance, fault } = this.#begin(operation, writeFaults);
      if (died) {
        if (this.#options.crash?.after === true) this.#options.scheduler.after(this.#latency(chance), effect);
        return;
      }
      const answer = (ms: number, value: T | Lost): void => {
        this.#arrive(ms, () => {
          this.#tell(`${operation} ${name}`, value as object);
          if ((value as { kind?: string }).kind === "refused") this.refusals += 1;
          resolve(value);
        });
      };
      const { weather, store } = this.#options;
      if (weather.outage) return answer(chance.between(1, 2_000), down);
      if (weather.refusal !== null && operation === "createInstance") {
        return answer(this.#latency(chance), { kind: "refused", refusal: weather.refusal });
      }
      switch (fault) {
        case "busy":
          return answer(this.#latency(chance), busy(chance));
        case "error":
          return answer(this.#latency(chance), down);
        case "dropped":
          return answer(chance.between(100, 20_000), unknown);
        case "lost":
          return this.#send(this.#latency(chance), () => {
            effect();
            answer(chance.between(100, 20_000), unknown);
          });
        case "late": {
          const ms = chance.between(50, 10_000);
          answer(ms, unknown);
          return this.#send(ms + chance.between(1, 8_000), effect);
        }
        case "retried":
          return this.#send(this.#latency(chance), () => {
            effect();
            this.#send(this.#latency(chance), () => answer(this.#latency(chance), effect()));
          });
        case "touched":
          return this.#send(this.#latency(chance), () => {
            if (operation === "deleteInstance") store.update(name, {});
            answer(this.#latency(chance), effect());
          });
        default:
          this.#send(this.#latency(chance), () => answer(this.#latency(chance), effect()));
      }
    });
  }

  follow(selector: string, from: string, signal: Abort): AsyncIterable<Hint> {
    return { [Symbol.asyncIterator]: () => this.#stream(selector, Number(from), signal) };
  }

  #stream(selector: string, from: number, signal: Abort): AsyncIterator<Hint> {
    const { died, chance, fault } = this.#begin("follow", followFaults);
    const { store } = this.#options;
    const arrived: IteratorResult<Hint>[] = [];
    let waiter: ((result: IteratorResult<Hint>) => void) | null = null;
    let closed = false;
    let inOrder = 0;
    let unlisten = (): void => undefined;
    const hand = (result: IteratorResult<Hint>): void => {
      if (waiter === null) arrived.push(result);
      else waiter(result);
      waiter = null;
    };
    const close = (): void => {
      if (closed) return;
      closed = true;
      unlisten();
      signal.removeEventListener("abort", close);
      hand({ done: true, value: undefined });
    };
    const deliver = (ms: number, hint: Hint): void => {
      const now = this.#options.scheduler.now();
      inOrder = Math.max(inOrder, now + ms);
      this.#arrive(inOrder - now, () => arrive(hint));
    };
    const arrive = (hint: Hint): void => {
      if (closed || this.#begin("hint").died) return;
      this.#tell("hint", hint);
      hand({ done: false, value: hint });
      if (hint.kind === "over") close();
    };
    const pass = (change: Change): void => {
      if (fault === "silent" || this.#options.weather.outage) return;
      const hint = hintOf(change);
      const late = this.#latency(chance);
      // A late event may come after newer ones: hints promise no order.
      if (fault === "slow" && chance.chance(0.5)) this.#arrive(chance.between(100, 20_000), () => arrive(hint));
      else deliver(late, hint);
      if (fault === "repeats") this.#arrive(late + chance.between(1, 4_000), () => arrive(hint));
    };
    const over = (ms: number, detail: string, retryAfterMs: number | null = null): void =>
      deliver(ms, { kind: "over", detail, retryAfterMs });
    if (!died) {
      signal.addEventListener("abort", close);
      if (signal.aborted) close();
      this.#send(this.#latency(chance), () => {
        if (closed) return;
        const missed = store.changesAfter(from, selector);
        if (missed === undefined || fault === "expired") return over(1, "410: this version is gone");
        if (this.#options.weather.outage) return over(1, "connection refused");
        if (fault === "throttled") return over(1, "429: too many requests", chance.between(100, 5_000));
        for (const change of missed) pass(change);
        const forget = store.listen((change) => {
          if (selectorOf(change.instance) === selector) pass(change);
        });
        unlisten = forget;
        if (fault === "ends")
          this.#arrive(chance.between(10, 15_000), chance.chance(0.5) ? close : () => over(0, "end of stream"));
      });
    }
    return {
      next: () =>
        new Promise((resolve) => {
          const result = arrived.shift();
          if (result !== undefined) resolve(result);
          else if (closed) resolve({ done: true, value: undefined });
          else waiter = resolve;
        }),
      return: () => {
        close();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /** Drawn from a stream of its own, so that a history with given faults has the same latencies as one that draws them. */
  #faultOf(operation: number, faults: readonly [FaultKind, ...FaultKind[]]): FaultKind | null {
    const { history, caller } = this.#options;
    if (history.faults.kind === "given") return this.#given.get(operation) ?? null;
    if (history.faults.rate === 0) return null;
    const chance = chanceOf(history.seed, caller, operation, -3);
    return chance.chance(history.faults.rate) ? chance.pick(faults) : null;
  }

  #latency(chance: Chance): number {
    return latency(chance, this.#options.calm);
  }

  /** One more await: does the caller die here, and what goes wrong? */
  #begin(
    what: string,
    faults?: readonly [FaultKind, ...FaultKind[]],
  ): { readonly died: boolean; readonly chance: Chance; readonly fault: FaultKind | null } {
    const { history, caller, crash } = this.#options;
    const operation = this.#operations;
    this.#operations += 1;
    const chance = chanceOf(history.seed, caller, operation);
    if (this.dead) return { died: true, chance, fault: null };
    if (crash !== null && operation === crash.operation) {
      this.dead = true;
      this.#options.tell(`dies at ${what}${crash.after ? ", which was sent" : ""}`);
      return { died: true, chance, fault: null };
    }
    const kind = faults === undefined ? null : this.#faultOf(operation, faults);
    if (kind === null || faults?.includes(kind) !== true) return { died: false, chance, fault: null };
    this.applied.push({ caller, operation, kind });
    this.#options.tell(`fault at ${what}: ${kind}`);
    return { died: false, chance, fault: kind };
  }

  /** The request reaches the store after that time, whether or not its caller still lives. */
  #send(ms: number, effect: () => void): void {
    this.#options.scheduler.after(ms, () => {
      this.effectAt = this.#options.scheduler.now();
      effect();
    });
  }

  /** The caller gets it after that time, if it lives and its machine is awake. */
  #arrive(ms: number, run: () => void): () => void {
    const { scheduler } = this.#options;
    const arrival = (): void => {
      if (this.dead) return;
      const asleep = this.#frozenUntil - scheduler.now();
      if (asleep > 0) cancel = scheduler.after(asleep, arrival);
      else run();
    };
    let cancel = scheduler.after(ms, arrival);
    return () => cancel();
  }

  #tell(request: string, answer: object): void {
    this.#options.tell(`${request} → ${summary(answer)}`);
  }
}
