/** Carries bundles to one agent: does what its life wants done, and tells the life what came of it. */
import { type BundleStore, type Disk, guarded, makeDurableFolder, nodeDisk, openStore } from "@moorage/bundle/delivery";
import type { Channel, Clock, Floor, Happening, Life, LifeBundle, LifeRun } from "@moorage/core";
import { bundleOnItsWay, inUse } from "@moorage/core";
import type { BundleAtHand, CatalogListener } from "../live-catalog.ts";
import { type CatalogSignal, catalogSignals } from "../process/end-tree.ts";
import { Copies } from "./copies.ts";
import { type DeliveryAnswer, readRetries, writeAnswer } from "./delivery-files.ts";
import { examine, type Trust, trustIn } from "./examine.ts";
import { type Inside, type KeeperPorts, LifeKeeper, type Outside } from "./life-keeper.ts";
import { findOffer } from "./offers.ts";
import { Timetable } from "./timetable.ts";
import { troubleWith } from "./trouble.ts";

export interface DeliverySpec {
  /** The agent's name, as people know it. */
  readonly agent: string;
  /** The lasting folder of this delivery. */
  readonly folder: string;
  readonly storeFolder: string;
  readonly trustFolder: string;
  /** Digest of the trust root that the instance pins. */
  readonly trustPin: string;
  readonly channel: Channel;
  /** As stamped into the instance. */
  readonly floor: Floor;
  /** Sent to the agent's process after a switch, one of `catalogSignals`; null: it takes part at the socket, or not at all. */
  readonly signal: string | null;
}

export interface DeliveryPorts extends KeeperPorts {
  /** The awake clock. */
  readonly clock: Clock;
  /** A bundle is confirmed: what came before it in its channel, by their digests, is never offered again. `earlier` may throw a `StoreError`. */
  readonly overtaken?: (earlier: (digest: string) => boolean) => void;
}

export type Outcome = Extract<Outside, { kind: "launch" | "bringBack" | "end" | "refuseStart" }>;

/** Lives as long as the supervisor: through every start of its process. */
export class Courier {
  readonly spec: DeliverySpec;
  readonly ports: DeliveryPorts;
  readonly store: BundleStore;
  readonly trust: Trust;
  readonly copies: Copies;
  readonly times: Timetable;
  listener: CatalogListener | null = null;
  readonly signal: CatalogSignal | null;
  /** The agent's own program runs. */
  running = false;
  readonly #disk: Disk;
  readonly #keeper: LifeKeeper;
  #outcome: Outcome | null = null;
  #awaits: string | null = null;
  /** Digest of the offer that was looked at last. */
  #looked: string | null = null;
  /** Digest of the last one that was offered to this process. */
  #offered: string | null = null;
  #asked = false;

  constructor(spec: DeliverySpec, ports: DeliveryPorts) {
    this.spec = spec;
    this.ports = ports;
    this.signal = catalogSignals.find((one) => one === spec.signal) ?? null;
    this.#disk = ports.disk ?? nodeDisk;
    this.store = openStore(spec.storeFolder, { now: ports.wallTime, disk: this.#disk });
    this.trust = trustIn(spec.trustFolder, spec.trustPin);
    this.copies = new Copies(spec.folder, this.store, this.#disk);
    this.times = new Timetable(ports.clock, ports.random);
    this.#keeper = new LifeKeeper(spec.agent, ports, (effect) => this.#work(effect));
  }

  get life(): Life | null {
    return this.#keeper.life;
  }

  get lastTrouble(): string | null {
    return this.#keeper.lastTrouble;
  }

  /** The life under the run that is about to start; nothing runs. Throws a `StoreError`. */
  open(run: LifeRun): Life {
    this.running = false;
    this.#outcome = this.#awaits = this.#looked = this.#offered = null;
    this.times.clear();
    guarded("make the folder of its bundles", () => makeDurableFolder(this.#disk, this.spec.folder));
    return this.#keeper.open(this.spec, run);
  }

  /** False: it could not be put on record, and is as if it had not happened. */
  tell(event: Happening): boolean {
    const outside = this.#keeper.advance(event);
    if (outside === null) return false;
    for (const effect of outside) this.#perform(effect);
    if (!this.#asked) return true;
    this.#asked = false;
    // What was looked at last has been heard if it is in use now, and whatever comes later is looked at when it comes.
    if (this.#looked === (this.life === null ? null : inUse(this.life)?.digest)) return true;
    this.#looked = null;
    this.takeOffer();
    return true;
  }

  /** Goes on with what was under way when the harness was killed. */
  resume(): void {
    const next = this.life?.next;
    if (next === undefined || next === null || next.state === "staged" || next.state === "deferred") return;
    const kind = ({ offered: "fetch", fetched: "check", verified: "stage" } as const)[next.state];
    this.tell(this.#work({ kind, digest: bundleOnItsWay(next).digest }));
  }

  takeOffer(): void {
    const { life, spec, store } = this;
    if (life === null) return;
    const found = findOffer({ folder: spec.folder, channel: spec.channel, store, last: this.#looked });
    switch (found.kind) {
      case "none":
      case "same":
        return;
      case "lost": {
        const { digest } = found;
        this.#looked = digest;
        const detail = `the bundle ${digest} is not in the store, or damaged`;
        this.#answer({
          nonce: null,
          digest,
          verdict: "nack",
          why: { reason: "corrupt", detail },
          inUse: inUse(life)?.catalogHash ?? null,
        });
        this.trouble(new Error(detail));
        return;
      }
      case "offer": {
        const { offer } = found;
        this.#looked = offer.digest;
        // A fleet that is behind what this agent tries out offers it nothing.
        if (offer.sequence < life.floor.sequence) return;
        // Asked for the newest, it is the one that is under way: its nonce is as good as another.
        if (offer.digest === this.#offered && underWay(life, offer.digest)) return;
        const nonce = this.ports.random.token(16);
        this.#offered = offer.digest;
        if (!this.tell({ kind: "offered", offer: { ...offer, nonce } })) this.#looked = this.#offered = null;
        return;
      }
      default:
        found satisfies never;
    }
  }

  takeRetries(): void {
    for (const { path, digest } of readRetries(this.spec.folder)) {
      if (digest === null) this.trouble(new Error(`${path} is no word that is understood`));
      else if (!this.tell({ kind: "retry", digest })) return;
      this.#disk.remove(path);
    }
  }

  takeDue(): void {
    const { retry, baked } = this.times.takeDue();
    const soonMs = 1_000;
    if (retry !== null && !this.tell({ kind: "due", digest: retry }))
      this.times.retryAfter({ digest: retry, ms: soonMs });
    if (baked !== null && !this.tell({ kind: "baked", digest: baked })) this.times.bake({ digest: baked, ms: soonMs });
    const next = this.life?.next;
    // A switch that could not be told is made again, and told.
    if (next?.state === "staged" && next.switching) this.#switch(next.bundle.digest);
  }

  get hasOutcome(): boolean {
    return this.#outcome !== null;
  }

  takeOutcome(): Outcome | null {
    const outcome = this.#outcome;
    this.#outcome = null;
    return outcome;
  }

  /** What waits for the next boundary; null: nothing does. */
  staged(): BundleAtHand | null {
    const next = this.life?.next;
    return next?.state === "staged" && next.bundle.digest === this.#awaits ? this.#atHand(next.bundle) : null;
  }

  /** Does what may fail; then it is told, and tried again at a look. */
  try(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.trouble(error);
    }
  }

  trouble(error: unknown): void {
    this.#keeper.trouble(error);
  }

  raise(): void {
    this.#keeper.raise();
  }

  async settled(): Promise<void> {
    this.#keeper.raise();
    await this.#keeper.settled();
  }

  close(): void {
    this.#keeper.close();
    this.listener = null;
  }

  #work({ kind, digest }: Inside): Happening {
    const { life, store, trust, ports } = this;
    try {
      // The store is on this machine: what is in it is fetched.
      if (kind === "fetch" || life === null) return { kind: "fetched", digest };
      if (kind === "check") return examine(digest, { life, store, trust, at: ports.wallTime() });
      if (life.next?.state === "verified") this.copies.whole(life.next.bundle);
      return { kind: "staged", digest };
    } catch (error) {
      this.trouble(error);
      return troubleWith(digest, error);
    }
  }

  #perform(effect: Outside): void {
    switch (effect.kind) {
      case "notice":
        return;
      case "switch":
        return this.#switch(effect.digest);
      case "announce":
        return this.#announce();
      case "retryAfter":
        return this.times.retryAfter(effect);
      case "awaitBoundary": {
        this.#awaits = effect.digest;
        const bundle = this.staged();
        if (bundle !== null) this.listener?.hear({ kind: "staged", bundle });
        return;
      }
      case "bake":
        return this.times.bake(effect);
      case "launch":
      case "refuseStart":
        this.#outcome = effect;
        return;
      case "bringBack":
      case "end": {
        this.#outcome = effect;
        if (this.running) this.listener?.hear({ kind: "endProcess" });
        return;
      }
      case "ask":
        this.#asked = true;
        return;
      case "answer":
        return this.#answer(effect);
      case "tell": {
        const { digest, state, detail } = effect;
        return this.ports.tell({ kind: "bundle", digest, sequence: this.#sequenceOf(digest), state, detail });
      }
      default:
        effect satisfies never;
    }
  }

  /** As people call a bundle. What is told most is on its way or in use, and needs no look into the store. */
  #sequenceOf(digest: string): number | null {
    const { life } = this;
    if (life !== null) {
      const near = [life.next === null ? null : bundleOnItsWay(life.next), inUse(life)];
      const found = near.find((one) => one?.digest === digest);
      if (found !== undefined && found !== null) return found.sequence;
    }
    try {
      return this.store.manifest(digest)?.sequence ?? null;
    } catch {
      return null;
    }
  }

  #switch(digest: string): void {
    const next = this.life?.next;
    if (next?.state !== "staged" || next.bundle.digest !== digest) return;
    this.#awaits = null;
    try {
      this.copies.goLive(next.bundle);
    } catch (error) {
      this.trouble(error);
      const event = troubleWith(digest, error);
      this.tell(event.kind === "failed" ? event : { kind: "failed", digest, cause: "unreachable" });
      return;
    }
    this.tell({ kind: "switched", digest });
  }

  #announce(): void {
    const { life, signal } = this;
    const bundle = life === null ? null : inUse(life);
    if (bundle === null || !this.running) return;
    this.listener?.hear({ kind: "switched", bundle: this.#atHand(bundle) });
    if (signal !== null) this.listener?.hear({ kind: "signal", signal });
  }

  /** A process that resolves the path by itself keeps all copies; a turn names the one that it has. */
  forgetCopies(): void {
    if (this.signal === null) this.try(() => this.copies.forget(this.listener?.held() ?? new Set()));
  }

  #answer({ nonce, digest, verdict, why, inUse: used }: DeliveryAnswer): void {
    this.try(() => {
      writeAnswer(this.spec.folder, { nonce, digest, verdict, why, inUse: used }, this.#disk);
      const use = this.life?.use;
      if (verdict !== "ack" || use?.kind !== "confirmed" || use.bundle.digest !== digest) return;
      const { channel } = this.spec;
      const { sequence } = use.bundle;
      this.store.confirm({ channel, digest, sequence });
      this.ports.overtaken?.(this.#earlierThan(sequence));
    });
  }

  /** What was published before a sequence is read when it is asked for: hardly ever. */
  #earlierThan(sequence: number): (digest: string) => boolean {
    let earlier: ReadonlySet<string> | null = null;
    return (digest) => {
      earlier ??= new Set(
        this.store
          .history(this.spec.channel)
          .filter((head) => head.sequence < sequence)
          .map((head) => head.digest),
      );
      return earlier.has(digest);
    };
  }

  #atHand({ digest, sequence, catalogHash }: LifeBundle): BundleAtHand {
    return { digest, sequence, catalogHash, directory: this.copies.directoryOf(catalogHash) };
  }
}

function underWay({ use, next }: Life, digest: string): boolean {
  if (use.kind === "trial" && use.bundle.digest === digest) return true;
  return next !== null && bundleOnItsWay(next).digest === digest;
}
