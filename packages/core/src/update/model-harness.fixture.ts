/** A harness for property tests: it does what a life wants done, late, in part or not at all, and is killed at any moment. */
import type { ManifestFacts } from "./channel.ts";
import { channel, manifestOf, runOf } from "./life.fixture.ts";
import type { Life, LifeBundle, Run } from "./life.ts";
import { inUse, newLife } from "./life.ts";
import type { Happening, LifeEffect } from "./life-events.ts";
import { quarantinedBy } from "./quarantine.ts";
import { readLife, writeLife } from "./read-life.ts";
import { stepLife } from "./trial.ts";

/** What a bundle does to the agent; `slow` does not arrive at the first try, `broken` never verifies. */
export type Nature = "good" | "bad" | "slow" | "broken" | "misfit";

type Task =
  | { readonly kind: "fetch" | "check" | "stage"; readonly digest: string }
  | Extract<LifeEffect, { kind: "retryAfter" | "awaitBoundary" | "bake" }>;

export class ModelHarness {
  life: Life;
  /** What the life's path on disk leads to. */
  live: string | null = null;
  /** The agent's process, with the bundle that it works with. */
  running: { readonly digest: string | null } | null = null;
  readonly published: LifeBundle[] = [];
  readonly natures = new Map<string, Nature>();
  readonly faults: string[] = [];
  /** The disk is full: no switch succeeds. */
  full = false;
  answers: Extract<LifeEffect, { kind: "answer" }>[] = [];
  readonly #tried = new Set<string>();
  #tasks: Task[] = [];
  readonly #run: Run;
  #now = 1_000_000;
  #nonces = 0;
  #fuse = Number.POSITIVE_INFINITY;

  constructor(takesPart: Run["takesPart"]) {
    this.#run = runOf({ takesPart });
    this.life = newLife(channel, this.#run);
  }

  publish(content: number, nature: Nature): void {
    const sequence = this.published.length + 1;
    const digits = content.toString(16).padStart(2, "0");
    const target = nature === "misfit" ? { ...this.#run.target, wireVersion: 9 } : this.#run.target;
    const catalogHash = `v1:sha256:${`${nature.charCodeAt(0).toString(16)}${digits}`.repeat(16)}`;
    const bundle = { digest: `d${sequence}`, catalogHash, sequence, target };
    this.published.push(bundle);
    this.natures.set(bundle.digest, nature);
    this.offer();
  }

  /** The newest of the channel, as it is sent after a connect. */
  offer(): void {
    const newest = this.published.at(-1);
    if (newest === undefined) return;
    const { digest, catalogHash, sequence } = newest;
    this.#nonces += 1;
    this.tell({ kind: "offered", offer: { digest, catalogHash, sequence, nonce: `n${this.#nonces}` } });
  }

  start(): void {
    if (this.running !== null) return;
    this.#tasks = [];
    const newest = this.published.at(-1);
    const assigned = newest === undefined ? null : { bundle: newest, confirmed: false };
    this.tell({ kind: "starting", run: this.#run, assigned: this.fit(assigned?.bundle) ? assigned : null });
    this.offer();
  }

  fit(bundle: LifeBundle | undefined): boolean {
    return bundle !== undefined && !["broken", "misfit"].includes(this.natures.get(bundle.digest) ?? "");
  }

  stop(): void {
    if (this.running === null) return;
    this.running = null;
    this.tell({ kind: "stopped" });
  }

  /** Killed after so many more effects: between what was persisted and what was to be done. */
  light(fuse: number): void {
    this.#fuse = fuse;
  }

  /** Harness and agent are killed; what was persisted is all that is left. */
  kill(): void {
    this.#fuse = Number.POSITIVE_INFINITY;
    this.running = null;
    this.#tasks = [];
    this.life = readLife(writeLife(this.life));
  }

  turn(): void {
    if (this.running === null) return;
    if (this.#crashes()) return;
    const now = this.#bundle(this.running.digest);
    if (now !== undefined) this.tell({ kind: "turnCompleted", catalogHash: now.catalogHash });
    this.boundary();
  }

  boundary(): void {
    if (this.running !== null) this.tell({ kind: "boundary" });
  }

  notNow(): void {
    const task = this.#tasks.find(({ kind }) => kind === "awaitBoundary");
    if (task !== undefined) this.tell({ kind: "notNow", digest: task.digest });
  }

  get busy(): boolean {
    return this.#tasks.some(({ kind }) => kind !== "awaitBoundary");
  }

  /** One thing that was begun comes to its end. */
  work(which: number, well: boolean): void {
    const open = this.#tasks.filter(({ kind }) => kind !== "awaitBoundary");
    const task = open[which % Math.max(open.length, 1)];
    if (task === undefined) return;
    this.#tasks = this.#tasks.filter((one) => one !== task);
    const { digest } = task;
    const nature = this.natures.get(digest);
    switch (task.kind) {
      case "fetch": {
        const arrives = well && (nature !== "slow" || this.#tried.has(digest));
        this.#tried.add(digest);
        return this.tell(arrives ? { kind: "fetched", digest } : { kind: "failed", digest, cause: "unreachable" });
      }
      case "check": {
        if (nature === "broken") return this.tell({ kind: "rejected", digest, reason: "corrupt", detail: "a blob" });
        const bundle = this.#bundle(digest);
        const manifest: ManifestFacts | null = bundle === undefined ? null : manifestOf(bundle);
        return manifest === null ? undefined : this.tell({ kind: "checked", manifest, takesEffect: "turn" });
      }
      case "stage":
        return this.tell(well ? { kind: "staged", digest } : { kind: "failed", digest, cause: "diskFull" });
      case "retryAfter":
        return this.tell({ kind: "due", digest });
      case "bake":
        if (this.running?.digest !== digest || this.#crashes()) return undefined;
        return this.tell({ kind: "baked", digest });
      default:
        return undefined;
    }
  }

  tell(event: Happening): void {
    this.#now += 1;
    const before = writeLife(this.life);
    const { life, effects } = stepLife(readLife(before), { ...event, at: this.#now });
    const unbroken = stepLife(this.life, { ...event, at: this.#now });
    if (inOrder(unbroken) !== inOrder({ life, effects })) this.faults.push(`a restart changes what ${event.kind} does`);
    this.life = life;
    for (const effect of effects) {
      if (this.#fuse === 0) return this.kill();
      this.#fuse -= 1;
      this.#do(effect);
    }
    this.#judge();
  }

  #do(effect: LifeEffect): void {
    switch (effect.kind) {
      case "fetch": {
        const bundle = this.#bundle(effect.digest);
        if (bundle !== undefined && quarantinedBy(this.life.quarantine, bundle, this.#run.buildId, this.#now) !== null)
          this.faults.push(`${effect.digest} failed here and is fetched again`);
        this.#tasks.push({ kind: "fetch", digest: effect.digest });
        return;
      }
      case "check":
      case "stage":
        this.#tasks.push({ kind: effect.kind, digest: effect.digest });
        return;
      case "retryAfter":
      case "awaitBoundary":
      case "bake":
        this.#tasks.push(effect);
        return;
      case "switch":
        if (this.full) return this.tell({ kind: "failed", digest: effect.digest, cause: "diskFull" });
        this.live = effect.digest;
        return this.tell({ kind: "switched", digest: effect.digest });
      case "announce":
        if (this.running !== null) this.running = { digest: effect.digest };
        return;
      case "launch":
      case "bringBack":
        this.live = effect.bundle?.digest ?? null;
        this.running = { digest: this.live };
        return;
      case "end":
      case "refuseStart":
        this.running = null;
        return;
      case "answer":
        this.answers.push(effect);
        return;
      case "ask":
        return this.offer();
      case "tell":
      case "notice":
        return;
      default:
        effect satisfies never;
    }
  }

  /** A bad bundle crashes the agent as soon as it works with it. */
  #crashes(): boolean {
    if (this.running === null || this.natures.get(this.running.digest ?? "") !== "bad") return false;
    this.running = null;
    this.tell({ kind: "faltered", reason: "crash", detail: "exit code 1" });
    return true;
  }

  #bundle(digest: string | null): LifeBundle | undefined {
    return this.published.find((one) => one.digest === digest);
  }

  /** Between two events. */
  #judge(): void {
    const used = inUse(this.life);
    const { use, next } = this.life;
    const same = this.#bundle(this.running?.digest ?? null)?.catalogHash === used?.catalogHash;
    if (this.running !== null && this.running.digest !== null && !same)
      this.faults.push(`the process runs on ${this.running.digest}, the life says ${used?.digest}`);
    if (this.running !== null && use.kind === "ended") this.faults.push("it ended and runs");
    if (use.kind === "confirmed" && this.natures.get(use.bundle.digest) === "bad")
      this.faults.push(`${use.bundle.digest} is bad and confirmed`);
    if (used !== null && !this.fit(used)) this.faults.push(`${used.digest} is in use and must never be`);
    const going = next === null ? null : JSON.stringify(next);
    if (used !== null && use.kind !== "ended" && going?.includes(`"digest":"${used.digest}"`) === true)
      this.faults.push(`${used.digest} is in two states`);
  }
}

/** Without the order of keys. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  );
}
