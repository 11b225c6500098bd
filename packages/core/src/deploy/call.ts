/** One call to start or stop: its deadline, its pauses, its journal and the count of its requests. */
import type { Abort } from "../ports/abort.ts";
import { createAbort } from "../ports/abort.ts";
import type { Clock } from "../ports/clock.ts";
import type { Journal, JournalStep } from "../ports/journal.ts";
import type { Random } from "../ports/random.ts";
import type { Substrate, Unavailable } from "../ports/substrate.ts";
import type { Condition } from "./conditions.ts";
import { counted } from "./counted.ts";
import type { Attempt, Identity } from "./identity.ts";
import { instanceName } from "./identity.ts";
import { LastSeen } from "./last-seen.ts";
import type { ActionTaken } from "./outcome.ts";
import type { BindingProfile } from "./profile.ts";
import type { Refusal } from "./refusal.ts";
import { refusalCondition } from "./refusal.ts";

export interface Subject {
  /** The declared name: how people and the journal call it. */
  readonly agent: string;
  readonly profile: BindingProfile;
  readonly identity: Identity;
  /** Milliseconds that the call may wait; 0 acts and looks once. It never bounds what is destroyed. */
  readonly deadlineMs: number;
}

export interface CallPorts {
  readonly substrate: Substrate;
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  /** Aborts when the person wants the call to end; what was started goes on. */
  readonly signal: Abort;
}

/** Why waiting came to an end. */
export type Waited<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "elapsed" }
  | { readonly kind: "interrupted" };

const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** Whoever asks for longer may have meant another: a call looks this often at least. */
const longestAskedMs = 30_000;

export class Call {
  readonly subject: Subject;
  readonly name: string;
  readonly substrate: Substrate;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: Abort;
  readonly actions: ActionTaken[] = [];
  readonly lastSeen: LastSeen = new LastSeen();
  attempt: Attempt | null = null;
  /** The latest condition in words: what a deadline reports. */
  condition: Condition;
  requests = 0;
  readonly #journal: Journal;
  readonly #tolerated = new Set<string>();
  readonly #began: number;
  #failures = 0;
  #scopesMade = 0;

  constructor(subject: Subject, ports: CallPorts, condition: Condition) {
    this.subject = subject;
    this.name = instanceName(subject.profile, subject.identity);
    this.substrate = counted(ports.substrate, () => {
      this.requests += 1;
    });
    this.clock = ports.clock;
    this.random = ports.random;
    this.signal = ports.signal;
    this.condition = condition;
    this.#journal = ports.journal;
    this.#began = ports.clock.now();
  }

  /** Milliseconds until the deadline; 0 or less when it is over. */
  remaining(): number {
    return this.subject.deadlineMs - (this.clock.now() - this.#began);
  }

  say(
    step: JournalStep,
    code: string,
    message: string,
    rule: number | null = null,
    name: string | null = this.name,
  ): void {
    const { agent, identity } = this.subject;
    this.#journal.append({ step, agent, identity, attempt: this.attempt, message, code, rule, name });
  }

  /** Remembers what is waited for, and tells it when it is new. */
  waitFor(condition: Condition): void {
    const known = this.condition.code === condition.code && this.condition.message === condition.message;
    this.condition = condition;
    if (!known) this.say("wait", condition.code, condition.message);
  }

  /** A refusal that the call can do without: told once, since nothing else would tell it. */
  tolerate(refusal: Refusal): void {
    const { code, message } = refusalCondition(refusal, this.subject.agent);
    if (this.#tolerated.has(message)) return;
    this.#tolerated.add(message);
    this.say("warn", code, message, null, null);
  }

  did(action: string, reason: string, name: string = this.name): void {
    this.actions.push({ action, reason, name });
  }

  /** Waits for the promise, at most `ms` milliseconds and never past an interrupt. The promise itself goes on. */
  async within<T>(promise: Promise<T>, ms: number): Promise<Waited<T>> {
    const timer = createAbort(this.signal);
    const elapsed = this.clock
      .sleep(ms, timer.signal)
      .then((): Waited<T> => (this.signal.aborted ? { kind: "interrupted" } : { kind: "elapsed" }));
    const value = promise.then((result): Waited<T> => ({ kind: "value", value: result }));
    try {
      return await Promise.race([value, elapsed]);
    } finally {
      timer.abort();
    }
  }

  /** Something answered: the next pause is short again. */
  progressed(): void {
    this.#failures = 0;
  }

  /** The scope was made. Once is normal; when it keeps going missing, somebody deletes it: pause. False: no time is left. */
  async scopeMade(): Promise<boolean> {
    this.#scopesMade += 1;
    return this.#scopesMade <= 2 || (await this.pause());
  }

  /** Pauses before another look: capped, jittered, and within reason at least what the other side asked for. False: no time is left. */
  async pause(atLeastMs: number | null = null): Promise<boolean> {
    const step = Math.min(longestPauseMs, firstPauseMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    const wanted = Math.max(step * (0.5 + this.random.fraction() / 2), Math.min(atLeastMs ?? 0, longestAskedMs));
    const left = this.remaining();
    if (left <= 0 || this.signal.aborted) return false;
    await this.clock.sleep(Math.min(wanted, left), this.signal);
    return this.remaining() > 0 && !this.signal.aborted;
  }
}

/** What nobody answered, as a condition. */
export function unavailableCondition(answer: Pick<Unavailable, "detail">, scope: string): Condition {
  return {
    code: "unreachable",
    message: `no answer for ${scope}: ${answer.detail}`,
    hint: "run `moorage doctor`; what is running goes on",
  };
}
