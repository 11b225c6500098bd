/** What moves instances: a small model of nodes that pull, start, report late, honour marks, lose contact and are bypassed. */
import type { Ending, Evidence, ObservedInstance } from "@moorage/core";
import { moorageProfile } from "@moorage/core";
import type { Chance } from "./chance.ts";
import * as evidence from "./evidence.ts";
import type { Fate } from "./fate.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { Scheduler } from "./scheduler.ts";

/** One incarnation as its node knows it. The store shows it later, or never. */
interface Life {
  readonly uid: string;
  readonly name: string;
  readonly identity: string;
  readonly fate: Fate;
  readonly chance: Chance;
  stage: "coming" | "alive" | "ended";
  /** Whoever should end it has begun to. */
  ending: boolean;
  lostSince: string | null;
  /** What the node has told last. */
  shown: Evidence | null;
  /** What the node would tell if it could be reached. */
  unsaid: Evidence | null;
  /** Reports keep their order. */
  reportAt: number;
}

export interface Witness {
  /** A container of this identity began to run; `others` are the ones that run beside it. */
  began(identity: string, uid: string): void;
  ended(identity: string, uid: string): void;
  /** The object is gone and its container still runs. */
  removedUnconfirmed(uid: string): void;
}

export interface NodesOptions {
  readonly store: MemoryStore;
  readonly scheduler: Scheduler;
  readonly witness: Witness;
  /** The fate and the chance of the nth instance. */
  readonly fate: (nth: number) => Fate;
  readonly chance: (nth: number) => Chance;
}

const secretRetryMs = 7_000;
const notReadyAfterMs = 40_000;
const evictedAfterMs = 300_000;

export class Nodes {
  readonly #options: NodesOptions;
  readonly #lives = new Map<string, Life>();
  #count = 0;

  constructor(options: NodesOptions) {
    this.#options = options;
    options.store.listen((change) => {
      if (change.kind === "removed") this.#removed(change.instance);
      else this.#changed(change.instance);
    });
  }

  isAlive(uid: string): boolean {
    return this.#lives.get(uid)?.stage === "alive";
  }

  /** Its node does not answer: what the store shows of it may be old. */
  isLost(uid: string): boolean {
    return typeof this.#lives.get(uid)?.lostSince === "string";
  }

  /** All nodes answer again. */
  reconnect(): void {
    for (const life of this.#lives.values()) this.#nodeReturns(life);
  }

  /** The agent ends by itself. */
  exit(name: string, ending: Ending): void {
    const life = this.#life(name);
    if (life !== undefined) this.#exit(life, ending);
  }

  /** The node throws it out, whether or not its container ever ran. */
  evict(name: string): void {
    const life = this.#life(name);
    if (life === undefined || life.stage === "ended") return;
    const ran = life.stage === "alive";
    const told = ran ? evidence.terminated(evidence.ending("evicted", 137), "failed") : evidence.failedBeforeStart;
    this.#end(life, told);
  }

  /** A changed image restarts the container in place, whatever the restart policy says. */
  restartInPlace(name: string, ms: number): void {
    const life = this.#life(name);
    if (life?.stage !== "alive" || life.ending) return;
    life.stage = "coming";
    this.#options.witness.ended(life.identity, life.uid);
    this.#report(life, evidence.interrupted);
    this.#later(ms, life, () => {
      if (life.stage === "coming" && !life.ending) this.#begin(life);
    });
  }

  /** Its node stops answering; what runs there goes on. Null: it never comes back. */
  loseNode(name: string, returnsAfterMs: number | null): void {
    const life = this.#life(name);
    if (life === undefined || life.lostSince !== null) return;
    const { store, scheduler } = this.#options;
    life.lostSince = store.stamp();
    const lost = { node: "node-1", since: life.lostSince };
    scheduler.after(notReadyAfterMs, () => {
      const seen = store.byUid(life.uid);
      if (seen === undefined || life.lostSince === null) return;
      store.update(seen.name, { evidence: evidence.onLostNode(seen.evidence, lost) });
    });
    scheduler.after(evictedAfterMs, () => {
      const seen = store.byUid(life.uid);
      if (seen !== undefined && life.lostSince !== null) store.markInstance(seen.name, seen.fence);
    });
    if (returnsAfterMs !== null) scheduler.after(returnsAfterMs, () => this.#nodeReturns(life));
  }

  /** Somebody takes the object away although nobody has confirmed the end of its container. */
  forceRemove(name: string): void {
    const { store } = this.#options;
    if (store.instance(name) !== undefined) store.remove(name);
  }

  /** Whether it lives cannot be judged for a while. */
  hide(name: string, ms: number): void {
    const { store, scheduler } = this.#options;
    const seen = store.instance(name);
    if (seen === undefined || seen.evidence.container.state === "unjudgeable") return;
    store.update(name, { evidence: evidence.unjudgeable });
    scheduler.after(ms, () => {
      const now = store.byUid(seen.fence.uid);
      if (now?.evidence.container.state !== "unjudgeable") return;
      store.update(name, { evidence: this.#lives.get(seen.fence.uid)?.shown ?? seen.evidence });
    });
  }

  /** A version of its status that changes nothing that we look at. */
  touch(name: string): void {
    this.#options.store.update(name, {});
  }

  #changed(seen: ObservedInstance): void {
    const life = this.#lives.get(seen.fence.uid) ?? this.#meet(seen);
    if (seen.deletion === null) return;
    if (!life.ending) {
      life.ending = true;
      this.#later(this.#lag(life), life, () => this.#honourMark(life));
    } else if (life.stage === "ended") {
      this.#later(this.#lag(life), life, () => this.#finish(life));
    }
  }

  #meet(seen: ObservedInstance): Life {
    const nth = this.#count;
    this.#count += 1;
    const fate = this.#options.fate(nth);
    const life: Life = {
      uid: seen.fence.uid,
      name: seen.name,
      identity: seen.annotations[`${moorageProfile.domain}/${moorageProfile.identityAnnotation}`] ?? "",
      fate,
      chance: this.#options.chance(nth),
      stage: "coming",
      ending: false,
      lostSince: null,
      shown: null,
      unsaid: null,
      reportAt: 0,
    };
    this.#lives.set(life.uid, life);
    // What somebody planted has no container behind it: it stays as it is.
    if (this.#options.store.spec(life.uid) === undefined && seen.evidence.container.state !== "absent")
      life.stage = "ended";
    else this.#later(fate.scheduleMs, life, () => this.#place(life));
    return life;
  }

  #place(life: Life): void {
    if (life.ending || life.stage !== "coming") return;
    const { trouble } = life.fate;
    if (trouble.kind === "unclaimed") return this.#report(life, evidence.abandoned);
    if (trouble.kind === "rejected") return this.#end(life, evidence.failedBeforeStart);
    this.#report(life, life.fate.sidecar ? evidence.sidecarOnly : evidence.waiting("containerCreating"));
    this.#later(life.fate.pullMs, life, () => this.#pulled(life));
  }

  #pulled(life: Life): void {
    if (life.ending || life.stage !== "coming") return;
    const { trouble } = life.fate;
    switch (trouble.kind) {
      case "invalidImage":
        return this.#report(life, evidence.invalidImage(trouble.rejected));
      case "pull":
        this.#report(
          life,
          trouble.failure === null ? evidence.waiting("errImagePull") : evidence.pullFailing(trouble.failure),
        );
        if (trouble.healsAfterMs !== null) this.#later(trouble.healsAfterMs, life, () => this.#container(life));
        return;
      case "configError":
        this.#report(life, evidence.secretMissing(this.#options.store.spec(life.uid)?.secret ?? ""));
        this.#later(trouble.healsAfterMs, life, () => this.#container(life));
        return;
      case "phaseUnknown":
        this.#report(life, evidence.unknownPhase);
        this.#later(trouble.healsAfterMs, life, () => this.#container(life));
        return;
      default:
        this.#container(life);
    }
  }

  /** Its Secret is looked up when the container is made, and again until it is there. */
  #container(life: Life): void {
    if (life.ending || life.stage !== "coming") return;
    const spec = this.#options.store.spec(life.uid);
    if (spec !== undefined && this.#options.store.secret(spec.secret) === undefined) {
      this.#report(life, evidence.secretMissing(spec.secret));
      this.#later(secretRetryMs, life, () => this.#container(life));
      return;
    }
    this.#begin(life);
    const { exit } = life.fate;
    if (exit !== null) this.#later(exit.afterMs, life, () => this.#exit(life, exit.ending));
  }

  #begin(life: Life): void {
    life.stage = "alive";
    this.#options.witness.began(life.identity, life.uid);
    this.#report(life, evidence.running);
  }

  #honourMark(life: Life): void {
    if (life.lostSince !== null) return;
    if (life.stage === "alive") {
      this.#later(life.fate.graceMs, life, () => {
        if (life.lostSince !== null) return;
        if (life.stage === "alive") this.#end(life, evidence.terminated(evidence.ending("stopped", 0), "succeeded"));
        else this.#finish(life);
      });
    } else if (life.stage === "coming") {
      life.stage = "ended";
      this.#later(this.#lag(life), life, () => this.#finish(life));
    } else {
      this.#finish(life);
    }
  }

  #exit(life: Life, ending: Ending): void {
    if (life.stage === "alive") this.#end(life, evidence.terminated(ending, "running"));
  }

  #end(life: Life, told: Evidence): void {
    const alive = life.stage === "alive";
    life.stage = "ended";
    if (alive) this.#options.witness.ended(life.identity, life.uid);
    this.#report(life, told);
    if (life.ending) this.#finish(life);
  }

  /** Takes the object away, once everything that the node has to tell is told. */
  #finish(life: Life): void {
    if (life.lostSince !== null || life.stage !== "ended") return;
    const untold = life.reportAt - this.#options.scheduler.now();
    if (untold >= 0) return this.#later(untold + 1, life, () => this.#finish(life));
    // The name may belong to another incarnation by now.
    if (this.#options.store.byUid(life.uid) !== undefined) this.#options.store.finish(life.name);
  }

  #removed(seen: ObservedInstance): void {
    const life = this.#lives.get(seen.fence.uid);
    if (life === undefined) return;
    life.ending = true;
    if (life.stage !== "alive") {
      life.stage = "ended";
      return;
    }
    this.#options.witness.removedUnconfirmed(life.uid);
    // A node that can be reached kills it when it finds out; one that cannot does so when it is back.
    if (life.lostSince === null) this.#options.scheduler.after(life.chance.between(10, 9_000), () => this.#kill(life));
  }

  #kill(life: Life): void {
    if (life.stage !== "alive") return;
    life.stage = "ended";
    this.#options.witness.ended(life.identity, life.uid);
  }

  #nodeReturns(life: Life): void {
    if (life.lostSince === null) return;
    life.lostSince = null;
    const { store } = this.#options;
    const seen = store.byUid(life.uid);
    if (seen === undefined) return this.#kill(life);
    const told = life.unsaid ?? life.shown ?? seen.evidence;
    life.unsaid = null;
    life.shown = { ...told, nodeLost: null };
    store.update(seen.name, { evidence: life.shown });
    if (life.ending) this.#later(this.#lag(life), life, () => this.#honourMark(life));
  }

  /** The store shows it after a while, in the order in which it happened. */
  #report(life: Life, told: Evidence): void {
    const { store, scheduler } = this.#options;
    life.reportAt = Math.max(life.reportAt, scheduler.now() + this.#lag(life));
    scheduler.after(life.reportAt - scheduler.now(), () => {
      const seen = store.byUid(life.uid);
      if (seen === undefined) return;
      if (life.lostSince !== null) {
        life.unsaid = told;
        return;
      }
      life.shown = told;
      const startedAt = told.container.state === "running" ? store.stamp() : seen.startedAt;
      store.update(seen.name, { evidence: told, startedAt });
    });
  }

  #later(ms: number, life: Life, run: () => void): void {
    this.#options.scheduler.after(ms, () => {
      if (this.#lives.get(life.uid) === life) run();
    });
  }

  #lag(life: Life): number {
    return life.chance.chance(0.1) ? life.chance.between(100, 3_000) : life.chance.between(1, 60);
  }

  #life(name: string): Life | undefined {
    const seen = this.#options.store.instance(name);
    return seen === undefined ? undefined : this.#lives.get(seen.fence.uid);
  }
}
