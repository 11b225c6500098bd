/** The world of a fleet's history: objects, nodes, documents, the channel and a life for each agent, with what people can do to them. */
import type { Admission, DocumentKind, FleetGate, ProcessTemplate, RuntimeTarget } from "@moorage/core";
import { firstDifference, openMailbox } from "@moorage/core";
import type { Agent } from "../agents.ts";
import { agentNamed, template } from "../agents.ts";
import { chanceOf, randomOf } from "../chance.ts";
import * as evidence from "../evidence.ts";
import { healthy } from "../fate.ts";
import { MemoryStore } from "../memory-store.ts";
import { Nodes } from "../nodes.ts";
import { forAWhile, type Scheduler } from "../scheduler.ts";
import type { Weather } from "../wire.ts";
import { AgentLife, type LifeNotice } from "./agent-life.ts";
import { ChannelStore } from "./channel.ts";
import type { AgentNumber, FleetHistory, FleetWorldEvent, Side } from "./fleet-history.ts";
import { FleetPromises } from "./fleet-promises.ts";
import { SharedDocuments } from "./shared-documents.ts";

export const fleet = "writers";
/** Members first; the guest is nobody's member. */
export const fleetAgents: readonly Agent[] = ["scribe", "clerk", "guest"].map(agentNamed);
export const members: readonly string[] = ["scribe", "clerk"];
const oldTarget: RuntimeTarget = { wireVersion: 3, eventLogSchema: 7, crdApiVersion: "moorage.dev/v1" };
const epoch = Date.UTC(2026, 0, 1);

export class FleetWorld {
  readonly history: FleetHistory;
  readonly scheduler: Scheduler;
  readonly store: MemoryStore;
  readonly nodes: Nodes;
  readonly promises: FleetPromises;
  readonly documents: SharedDocuments;
  readonly channel: ChannelStore = new ChannelStore();
  readonly lives: readonly AgentLife[];
  readonly weather: Weather = { outage: false, refusal: null };
  readonly disk = { full: false };
  readonly tell: (line: string) => void;
  /** The pair of builds and bundle that a start takes. */
  side: Side = "old";
  /** Of whoever carries out a move: whether they are dead. */
  holder: (() => boolean) | null = null;
  failingMigrations = 0;
  admission: (real: Admission) => Admission = (real) => real;
  calm = false;
  #clockStep = 0;
  /** Instances whose harness has ended itself: it had no time to say anything. */
  readonly #gone = new Set<string>();

  constructor(history: FleetHistory, scheduler: Scheduler, tell: (line: string) => void) {
    this.history = history;
    this.scheduler = scheduler;
    this.tell = tell;
    this.store = new MemoryStore({ now: scheduler.now, epoch, scopeExists: true });
    this.promises = new FleetPromises(scheduler.now, (uid) => this.targetOf(uid));
    this.documents = new SharedDocuments((kind, name, text) => this.#written(kind, name, text));
    this.lives = fleetAgents.map((agent, at) => this.#lifeOf(agent, at));
    const { store, promises } = this;
    this.nodes = new Nodes({
      store,
      scheduler,
      witness: {
        began: (identity, uid) => {
          promises.began(identity, uid);
          const target = this.targetOf(uid);
          if (target !== undefined) this.#life(identity)?.begin(buildOf(target), target);
        },
        ended: (identity, uid) => {
          promises.ended(identity, uid);
          this.#life(identity)?.end(!this.#gone.has(uid));
        },
        removedUnconfirmed: (uid) => promises.removedUnconfirmed(uid),
      },
      fate: (nth) => {
        const chance = chanceOf(history.seed, -4, nth);
        const graceMs = this.calm ? 400 : chance.pick([1, 400, 3_000, 20_000]);
        return { ...healthy, graceMs, pullMs: chance.pick([1, 300, 3_000]) };
      },
      chance: (nth) => chanceOf(history.seed, -2, nth),
    });
  }

  /** Milliseconds since 1970, by a clock that steps. */
  time(): number {
    return Math.round(epoch + this.scheduler.now() + this.#clockStep);
  }

  target(side: Side): RuntimeTarget {
    if (side === "old") return oldTarget;
    return this.history.movesLog ? { ...oldTarget, eventLogSchema: 8 } : { ...oldTarget, wireVersion: 4 };
  }

  template(side: Side): ProcessTemplate {
    const fingerprint = this.target(side);
    return { ...template(0), buildId: buildOf(fingerprint), fingerprint };
  }

  /** The formats of the build that an instance was made from. */
  targetOf(uid: string): RuntimeTarget | undefined {
    const made = this.store.spec(uid)?.template;
    return made?.kind === "process" ? made.fingerprint : undefined;
  }

  happen(event: FleetWorldEvent): void {
    const { scheduler, weather, disk, nodes } = this;
    this.tell(`world: ${JSON.stringify(event)}`);
    switch (event.kind) {
      case "kill":
        return this.lives[event.agent]?.light(event.fuse);
      case "crash":
        return this.lives[event.agent]?.crash();
      case "evict":
        return nodes.evict(nameOf(event.agent));
      case "diskFull":
        return forAWhile(scheduler, event.ms, (on) => {
          disk.full = on;
        });
      case "outage":
        return forAWhile(scheduler, event.ms, (on) => {
          weather.outage = on;
        });
      case "clockStep":
        this.#clockStep += event.ms;
        this.store.stepClock(event.ms);
        return;
      case "migrationFails":
        this.failingMigrations = event.times;
        return;
      case "retry": {
        const life = this.lives[event.agent];
        const failed = life?.life.quarantine.at(-1);
        if (failed !== undefined) life?.retry(failed.digest);
        return;
      }
      default:
        return event satisfies never;
    }
  }

  settle(): void {
    this.calm = true;
    this.weather.outage = false;
    this.disk.full = false;
    this.failingMigrations = 0;
    for (const life of this.lives) life.light(Number.POSITIVE_INFINITY);
  }

  #written(kind: DocumentKind, name: string, text: string | null): void {
    this.promises.written(kind, name, text);
    // The first start of a fleet gives it its formats, whoever it is.
    const gate = kind === "gate" && text !== null ? (JSON.parse(text) as FleetGate) : null;
    const { open, mover } = gate ?? { open: null, mover: null };
    if (mover === null && open !== null) this.side = firstDifference(open, oldTarget) === null ? "old" : "new";
  }

  #lifeOf(agent: Agent, at: number): AgentLife {
    const { history, scheduler, channel, disk, tell } = this;
    const mailbox = openMailbox(this.documents.direct(), randomOf(history.seed, -20 - at));
    return new AgentLife(
      {
        agent: agent.agent,
        scheduler,
        channel,
        disk,
        tell,
        chance: chanceOf(history.seed, -10, at),
        takesPart: history.takesPart[at] ?? "socket",
        time: () => this.time(),
        isCalm: () => this.calm,
        raise: (notice) => void mailbox.raise(draftOf(agent.agent, notice), this.time()),
        exit: (code) => {
          const uid = this.store.instance(agent.name)?.fence.uid;
          if (uid !== undefined) this.#gone.add(uid);
          this.nodes.exit(agent.name, evidence.ending("exited", code));
        },
        broken: (promise, message) => this.promises.broken(promise, message),
      },
      oldTarget,
    );
  }

  #life(identity: string): AgentLife | undefined {
    return this.lives[fleetAgents.findIndex((agent) => agent.identity === identity)];
  }
}

function nameOf(agent: AgentNumber): string {
  return fleetAgents[agent]?.name ?? "";
}

function buildOf({ wireVersion, eventLogSchema }: RuntimeTarget): string {
  return `${wireVersion}-${eventLogSchema}`.padEnd(64, "0");
}

function draftOf(agent: string, { about, digest, reason, detail }: LifeNotice) {
  const abouts = {
    refused: "bundleRefused",
    reverted: "bundleReverted",
    ended: "agentEnded",
    notNow: "bundlePutOff",
  } as const;
  return {
    about: abouts[about],
    subject: { kind: "agent", name: agent } as const,
    reason: `${digest}: ${detail}`,
    evidence: { digest, reason },
    choices: ["acknowledge"] as const,
  };
}
