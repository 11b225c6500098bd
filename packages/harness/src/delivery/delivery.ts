/** The delivery of bundles to one agent, as its supervisor and its start see it. */
import type { Ending, LifeRun } from "@moorage/core";
import { describeEnding } from "@moorage/core";
import type { Health } from "../health.ts";
import type {
  AfterExit,
  AgentAnswer,
  BundleAtHand,
  CatalogCopyInUse,
  CatalogListener,
  LiveCatalog,
} from "../live-catalog.ts";
import { Courier, type DeliveryPorts, type DeliverySpec } from "./courier.ts";
import { type Start, startOn } from "./start.ts";
import { clipped, words } from "./trouble.ts";

export interface Delivery extends LiveCatalog {
  /** Everything up to what the agent is started on: nothing of it runs. Never throws. */
  prepareStart(run: LifeRun): Start;
  /** Resolves when every notice is raised, or cannot be raised now. */
  settled(): Promise<void>;
  close(): void;
}

/** Reads and writes nothing before `prepareStart`. */
export function openDelivery(spec: DeliverySpec, ports: DeliveryPorts): Delivery {
  return new AgentDelivery(new Courier(spec, ports));
}

/** Whoever is signalled has had this long to prepare for it, in milliseconds. */
const signalAfterMs = 2_000;

class AgentDelivery implements Delivery {
  readonly #courier: Courier;
  #startedAt = 0;

  constructor(courier: Courier) {
    this.#courier = courier;
  }

  prepareStart(run: LifeRun): Start {
    const courier = this.#courier;
    const { signal } = courier.spec;
    if (signal !== courier.signal) return { kind: "refused", why: `${signal} is no signal that tells of a catalog` };
    try {
      return startOn(courier, { ...run, takesPart: signal === null ? "nothing" : "files" });
    } catch (error) {
      return { kind: "refused", why: words(error) };
    }
  }

  current(): CatalogCopyInUse | null {
    return this.#courier.copies.live;
  }

  listen(listener: CatalogListener): void {
    this.#courier.listener = listener;
  }

  connected(): void {
    const courier = this.#courier;
    if (courier.life?.run.takesPart === "nothing") courier.try(() => courier.tell({ kind: "connected" }));
  }

  boundary(): void {
    const courier = this.#courier;
    if (courier.staged() !== null) courier.try(() => courier.tell({ kind: "boundary" }));
  }

  turnCompleted(catalogHash: string): void {
    const courier = this.#courier;
    const { use, run } = courier.life ?? {};
    // A trial that waits for its time alone needs no record of each turn.
    if (use?.kind === "trial" && use.progress.turns < (run?.turns ?? 0))
      courier.try(() => courier.tell({ kind: "turnCompleted", catalogHash }));
    // Now, as no turn waits for it.
    courier.forgetCopies();
  }

  staged(): BundleAtHand | null {
    return this.#courier.staged();
  }

  answer({ digest, answer, detail }: AgentAnswer): boolean {
    const courier = this.#courier;
    if (answer === "notNow") {
      if (courier.staged()?.digest !== digest) return false;
      courier.try(() => courier.tell({ kind: "notNow", digest }));
      return true;
    }
    const use = courier.life?.use;
    if (use?.kind !== "trial" || use.bundle.digest !== digest) return false;
    this.#falter("reload", detail ?? "the agent could not use it");
    return true;
  }

  started(): void {
    this.#startedAt = this.#courier.ports.clock.now();
    this.#courier.running = true;
    this.#courier.times.started();
  }

  unhealthy(detail: string): void {
    if (this.#courier.life?.use.kind === "trial") this.#falter("health", detail);
  }

  look(health: Health): void {
    const courier = this.#courier;
    courier.try(() => {
      courier.raise();
      courier.takeRetries();
      courier.takeDue();
      const use = courier.life?.use;
      if (use?.kind === "trial" && use.progress.baked && !use.progress.checked && health.kind === "healthy")
        courier.tell({ kind: "checkHeld", digest: use.bundle.digest });
      courier.takeOffer();
      const prepared = courier.running && courier.ports.clock.now() >= this.#startedAt + signalAfterMs;
      if (prepared && courier.life?.run.takesPart === "files") this.boundary();
    });
  }

  dueAt(): number | null {
    return this.#courier.times.dueAt();
  }

  exited(ending: Ending, mayGoOn: boolean): AfterExit {
    const courier = this.#courier;
    courier.running = false;
    courier.times.exited();
    // An end that was wanted because of a bundle has been weighed already.
    if (!courier.hasOutcome) {
      const detail = clipped(describeEnding(ending));
      const crash = mayGoOn && crashed(ending);
      courier.try(() => courier.tell(crash ? { kind: "faltered", reason: "crash", detail } : { kind: "stopped" }));
    }
    const outcome = courier.takeOutcome();
    const use = courier.life?.use;
    // At a first start everything is new: it crashed, and nothing says that its bundle is to blame.
    if (use?.kind === "ended") return { kind: "end", failed: use.lastGood === null ? null : use.why.detail };
    if (!mayGoOn || outcome?.kind !== "bringBack" || use?.kind !== "returning") return { kind: "end", failed: null };
    const why = use.why.detail;
    try {
      courier.copies.goLive(outcome.bundle);
      return { kind: "again", why: `brought back on its last known good bundle: ${why}` };
    } catch (error) {
      return { kind: "end", failed: `${why}; its last known good bundle cannot be used: ${words(error)}` };
    }
  }

  async settled(): Promise<void> {
    await this.#courier.settled();
  }

  close(): void {
    this.#courier.close();
  }

  #falter(reason: "reload" | "health", detail: string): void {
    const courier = this.#courier;
    courier.try(() => courier.tell({ kind: "faltered", reason, detail: clipped(detail) }));
  }
}

/** By itself: neither done (0) nor badly configured (78). */
function crashed({ reason, exitCode }: Ending): boolean {
  if (reason === "exited") return exitCode !== 0 && exitCode !== 78;
  return reason === "signaled" || reason === "outOfMemory";
}
