/** The harness of one agent in a history: it does what the agent's life wants done, late or in part, is killed, and goes on at the next start. */
import type { Happening, Life, LifeEffect, LifeRun, RuntimeTarget } from "@moorage/core";
import { inUse, newLife, quarantinedBy, readLife, stepLife, writeLife } from "@moorage/core";
import type { Chance } from "../chance.ts";
import type { Scheduler } from "../scheduler.ts";
import { bundleOf, type ChannelStore, channel, manifestOf } from "./channel.ts";
import { lifeFaults } from "./life-promises.ts";

type Effect<K extends LifeEffect["kind"]> = Extract<LifeEffect, { kind: K }>;
export type Answer = Effect<"answer">;
export type LifeNotice = Effect<"notice">;

/** What it reaches of the world. */
export interface LifeSurroundings {
  readonly agent: string;
  readonly scheduler: Scheduler;
  readonly channel: ChannelStore;
  readonly chance: Chance;
  readonly takesPart: LifeRun["takesPart"];
  /** Milliseconds since 1970, on a clock that steps. */
  readonly time: () => number;
  readonly disk: { full: boolean };
  readonly isCalm: () => boolean;
  readonly raise: (notice: LifeNotice) => void;
  /** The harness ends, and its container with it. */
  readonly exit: (code: number) => void;
  readonly broken: (promise: "P8" | "P9" | "P12" | "told", message: string) => void;
  readonly tell: (line: string) => void;
}

interface Process {
  readonly digest: string | null;
}

const bakeMs = 10_000;
const lookMs = 2_000;
/** Where nothing is on its way, turns are long. */
const quietMs = 20_000;

export class AgentLife {
  life: Life;
  answers: Answer[] = [];
  /** Raised, each at least once. */
  readonly notices: LifeNotice[] = [];
  /** Persisted with the life, until it is raised. */
  #outbox: readonly LifeNotice[] = [];
  process: Process | null = null;
  readonly #around: LifeSurroundings;
  readonly #tried = new Set<string>();
  /** Counts incarnations: what an earlier one began is over. */
  #incarnation = 0;
  #running = false;
  #offered: string | null = null;
  /** Waits for a boundary: the agent may say "not now". */
  #awaited: string | null = null;
  #nonces = 0;
  #bakes = 0;
  #fuse = Number.POSITIVE_INFINITY;

  constructor(around: LifeSurroundings, target: RuntimeTarget) {
    this.#around = around;
    this.life = newLife(channel, this.#run("b-none", target));
  }

  get running(): boolean {
    return this.#running;
  }

  /** Its container has started with this build. */
  begin(buildId: string, target: RuntimeTarget): void {
    this.#incarnation += 1;
    this.#running = true;
    this.#offered = null;
    this.life = readLife(writeLife(this.life));
    for (const notice of this.#outbox) this.#raise(notice);
    const run = this.#run(buildId, target);
    this.#happen({ kind: "starting", run, assigned: this.#around.channel.forStart({ ...this.life, run }) });
    this.#look();
  }

  /** Its container has ended. `gracefully`: the harness had time to say so. */
  end(gracefully: boolean): void {
    if (!this.#running) return;
    if (gracefully && this.process !== null) {
      this.process = null;
      this.#happen({ kind: "stopped" });
    }
    this.#over();
  }

  /** Killed after so many more effects: between what was persisted and what was to be done. */
  light(fuse: number): void {
    this.#fuse = fuse;
    if (fuse === 0) this.#kill();
  }

  /** The agent ends by itself, whatever it works with. */
  crash(): void {
    if (this.process === null) return;
    this.process = null;
    this.#happen({ kind: "faltered", reason: "crash", detail: "exit code 1" });
  }

  retry(digest: string): void {
    if (this.#running) this.#happen({ kind: "retry", digest });
  }

  #run(buildId: string, target: RuntimeTarget): LifeRun {
    return { buildId, target, takesPart: this.#around.takesPart, turns: 1, bakeMs, check: false };
  }

  #over(): void {
    this.#incarnation += 1;
    this.#running = false;
    this.process = null;
    this.#fuse = Number.POSITIVE_INFINITY;
  }

  #kill(): void {
    this.#around.tell(`${this.#around.agent}: harness and agent are killed`);
    this.#over();
    this.#around.exit(137);
  }

  /** Looks whether something else is assigned. */
  #look(): void {
    const { assigned } = this.#around.channel;
    if (assigned !== null && assigned.digest !== this.#offered) this.#offer();
    this.#later(this.#around.isCalm() ? quietMs : lookMs, () => this.#look());
  }

  #offer(): void {
    const { assigned } = this.#around.channel;
    if (assigned === null) return;
    this.#offered = assigned.digest;
    this.#nonces += 1;
    const { digest, catalogHash, sequence } = bundleOf(assigned);
    this.#happen({ kind: "offered", offer: { digest, catalogHash, sequence, nonce: `n${this.#nonces}` } });
  }

  /** Turn by turn, anew with each catalog; a bad bundle crashes the agent at the end of one, before the bake time is over. */
  #startTurns(): void {
    const { chance, channel: store } = this.#around;
    const mine = this.process;
    const next = (ms: number): void =>
      this.#later(ms, () => {
        if (this.process === mine) turn();
      });
    const turn = (): void => {
      if (chance.chance(0.1) && this.#awaited !== null) this.#happen({ kind: "notNow", digest: this.#awaited });
      else this.#happen({ kind: "boundary" });
      if (mine === null || this.process !== mine) return;
      const began = mine.digest;
      this.#later(chance.between(100, 2_000), () => {
        if (this.process !== mine) return;
        const bundle = store.find(began);
        if (bundle?.nature === "bad") return this.crash();
        if (bundle !== undefined) this.#happen({ kind: "turnCompleted", catalogHash: bundle.catalogHash });
        next(this.#isQuiet() ? quietMs : chance.between(10, 1_500));
      });
    };
    next(chance.between(10, 1_500));
  }

  #isQuiet(): boolean {
    return this.life.use.kind === "confirmed" && this.life.next === null;
  }

  /** The process works with it from here on. */
  #work(digest: string | null): void {
    this.#awaited = null;
    this.process = { digest };
    this.#startTurns();
  }

  #happen(event: Happening): void {
    if (!this.#running) return;
    const { tell, agent } = this.#around;
    const at = this.#around.time();
    const { life, effects } = stepLife(this.life, { ...event, at });
    if (life !== this.life) this.life = readLife(writeLife(life));
    this.#outbox = [...this.#outbox, ...effects.filter((effect) => effect.kind === "notice")];
    const incarnation = this.#incarnation;
    for (const effect of effects) {
      if (effect.kind === "tell")
        tell(`${agent}: ${effect.digest} is ${effect.state}${effect.detail === null ? "" : ` (${effect.detail})`}`);
      if (incarnation !== this.#incarnation) return;
      if (this.#fuse <= 0) return this.#kill();
      this.#fuse -= 1;
      this.#do(effect);
    }
    if (incarnation === this.#incarnation) this.judge();
  }

  #do(effect: LifeEffect): void {
    const { chance, channel: store, disk } = this.#around;
    const later = (event: Happening): void => this.#later(chance.between(5, 3_000), () => this.#happen(event));
    switch (effect.kind) {
      case "fetch": {
        const { digest } = effect;
        const bundle = store.find(digest);
        if (
          bundle !== undefined &&
          quarantinedBy(this.life.quarantine, bundle, this.life.run.buildId, this.#around.time())
        )
          this.#around.broken("P9", `${digest} failed here and is fetched again`);
        const late = bundle?.nature === "slow" && !this.#tried.has(digest);
        this.#tried.add(digest);
        return later(
          late || chance.chance(0.1) ? { kind: "failed", digest, cause: "unreachable" } : { kind: "fetched", digest },
        );
      }
      case "check": {
        const { digest } = effect;
        const bundle = store.find(digest);
        if (bundle === undefined || bundle.nature === "broken")
          return later({ kind: "rejected", digest, reason: "corrupt", detail: "a blob" });
        return later({
          kind: "checked",
          manifest: manifestOf(bundle),
          takesEffect: chance.chance(0.2) ? "start" : "turn",
        });
      }
      case "stage": {
        const { digest } = effect;
        return later(disk.full ? { kind: "failed", digest, cause: "diskFull" } : { kind: "staged", digest });
      }
      case "switch": {
        const { digest } = effect;
        return this.#happen(disk.full ? { kind: "failed", digest, cause: "diskFull" } : { kind: "switched", digest });
      }
      case "announce":
        if (this.process !== null) this.#work(effect.digest);
        return;
      case "retryAfter":
        return this.#later(effect.ms * (1 + chance.fraction() / 5), () =>
          this.#happen({ kind: "due", digest: effect.digest }),
        );
      case "bake":
        return this.#bake(effect);
      case "launch":
        return this.#work(effect.bundle?.digest ?? null);
      case "bringBack":
        if (this.life.use.kind !== "returning")
          this.#around.broken("P12", "it was brought back without a trial that failed");
        return this.#work(effect.bundle.digest);
      case "end":
      case "refuseStart":
        this.#over();
        return this.#around.exit(effect.kind === "end" ? 1 : 78);
      case "answer":
        this.answers.push(effect);
        if (effect.verdict === "ack") this.#around.channel.confirm(effect.digest);
        return;
      case "notice":
        return this.#raise(effect);
      case "ask":
        return this.#offer();
      case "awaitBoundary":
        this.#awaited = effect.digest;
        // With files and a signal any moment is one; the socket's next turn tells it, or a look now and then.
        return this.#later(chance.between(100, 5_000), () => {
          if (this.life.run.takesPart !== "socket" && this.process !== null) this.#happen({ kind: "boundary" });
        });
      case "tell":
        return;
      default:
        effect satisfies never;
    }
  }

  /** The time of an earlier trial proves nothing about a later one, of the same bundle either. */
  #bake({ digest, ms }: Effect<"bake">): void {
    this.#bakes += 1;
    const bake = this.#bakes;
    this.#later(ms, () => {
      if (bake === this.#bakes && this.process?.digest === digest) this.#happen({ kind: "baked", digest });
    });
  }

  #raise(notice: LifeNotice): void {
    this.notices.push(notice);
    this.#outbox = this.#outbox.filter((one) => one !== notice);
    this.#around.raise(notice);
  }

  /** After every event. */
  judge(): void {
    const used = inUse(this.life);
    for (const [promise, message] of lifeFaults(this.life, this.process?.digest, this.#around.channel))
      this.#around.broken(promise, `${this.#around.agent}: ${message}`);
    if (used !== null && this.process !== null && this.life.use.kind === "ended")
      this.#around.broken("P12", `${this.#around.agent} has ended and runs`);
  }

  #later(ms: number, run: () => void): void {
    const incarnation = this.#incarnation;
    this.#around.scheduler.after(ms, () => {
      if (incarnation === this.#incarnation) run();
    });
  }
}
