/** A fleet in memory for the executor of cold moves: agents that take a moment to end, starters at each of their steps, a judge. */
import { openMailbox } from "../mailbox/mailbox.ts";
import type { Choice } from "../mailbox/notice.ts";
import { createAbort } from "../ports/abort.ts";
import type { Clock } from "../ports/clock.ts";
import type { Documents } from "../ports/documents.ts";
import { MemoryDocuments, type Mortal } from "../ports/memory-documents.fixture.ts";
import type { MoveHands } from "../ports/move-hands.ts";
import type { Random } from "../ports/random.ts";
import type { MovePorts } from "./carry-out-move.ts";
import { gateAdmission } from "./gate-admission.ts";
import { gateFor } from "./gate-documents.ts";
import type { Look, Move, Proposal, Side } from "./move.ts";
import { noBuild } from "./move.ts";
import { moveFacts, putForward } from "./move-documents.ts";
import { proposal } from "./moves.fixture.ts";

interface Instance {
  readonly agent: string;
  readonly side: Side;
  readonly attempt: number;
  /** Its attempt's Secret was there when it was created: else it can never start. */
  readonly live: boolean;
  ending: boolean;
}

export class MemoryFleet implements MoveHands {
  readonly documents: MemoryDocuments = new MemoryDocuments();
  readonly random: Random;
  readonly faults: string[] = [];
  readonly states: string[] = [];
  proposal: Proposal;
  instances: Instance[] = [];
  /** Of attempts. */
  secrets: Set<number> = new Set();
  side: Side = "old";
  migrations = 0;
  /** What rejects, and how often. */
  failing: Map<keyof MoveHands, number> = new Map();
  /** Those that do not end when they are asked to. */
  stubborn: Set<string> = new Set();
  clock: Clock = timeless();
  #held = false;
  #attempts = 0;

  constructor(changes: Partial<Proposal> = {}, random: Random = tokens()) {
    this.proposal = proposal(changes);
    this.random = random;
  }

  /** Its members run with the old formats, those that have an old build, and the move is proposed. */
  async begin(): Promise<this> {
    await gateFor(this.documents, this.proposal.fleet, this.proposal.from);
    for (const { agent, oldBuild } of this.proposal.members)
      if (oldBuild !== noBuild) await this.starter(agent, "old").finish();
    const put = await putForward(this.documents, this.proposal);
    if (put.kind !== "proposed") throw new Error(put.kind);
    return this;
  }

  /** The ports of one executor. */
  ports(executor: Mortal | null = null): MovePorts {
    const documents: Documents = executor === null ? this.documents : executor.over(this.documents);
    return {
      documents,
      mailbox: openMailbox(documents, this.random),
      hands: executor === null ? this : executor.over<MoveHands>(this),
      clock: this.clock,
      time: () => 1_000,
      signal: createAbort().signal,
      tell: ({ state }) => this.states.push(state.kind),
    };
  }

  /** A person decides what waits for them. */
  async decide(choice: Choice, by: string = "ada"): Promise<string> {
    const mailbox = openMailbox(this.documents, this.random);
    const waiting = (await mailbox.list()).notices.find(
      (notice) => notice.state.kind === "open" && notice.choices.includes(choice),
    );
    if (waiting === undefined) throw new Error(`nobody asks for ${choice}`);
    const { id, revision } = waiting;
    return (await mailbox.decide(id, { choice, by, at: 1_000, revision }, moveFacts(this.documents))).kind;
  }

  /** Its executor was killed: the system lets go what it held. */
  letGo(): void {
    this.#held = false;
  }

  async hold(): Promise<(() => Promise<void>) | null> {
    if (this.#held) return null;
    this.#held = true;
    return async () => this.letGo();
  }

  async members(): Promise<string[]> {
    return this.proposal.members.map(({ agent }) => agent);
  }

  async clear(): Promise<void> {
    this.#fail("clear");
    const referenced = new Set(this.instances.map(({ attempt }) => attempt));
    for (const attempt of this.secrets) if (!referenced.has(attempt)) this.secrets.delete(attempt);
    this.instances = this.instances.filter(({ live }) => live);
  }

  async stop(agents: readonly string[]): Promise<void> {
    this.#fail("stop");
    for (const one of this.instances) one.ending ||= agents.includes(one.agent) && !this.stubborn.has(one.agent);
  }

  /** What was asked to end is seen once more, and is gone after that. */
  async look(): Promise<Look> {
    this.#fail("look");
    const of = (side: Side): string[] =>
      this.instances.filter((one) => one.live && one.side === side).map(({ agent }) => agent);
    const referenced = new Set(this.instances.map(({ attempt }) => attempt));
    const unused = [...this.secrets].filter((attempt) => !referenced.has(attempt));
    const leftovers = unused.length + this.instances.filter(({ live }) => !live).length;
    const look: Look = { old: of("old"), new: of("new"), unjudged: [], leftovers };
    for (const { attempt } of this.instances.filter(({ ending }) => ending)) this.secrets.delete(attempt);
    this.instances = this.instances.filter(({ ending }) => !ending);
    return look;
  }

  async switch(side: Side): Promise<void> {
    this.#fail("switch");
    this.side = side;
  }

  async migrate(): Promise<void> {
    this.#fail("migrate");
    this.migrations += 1;
    if (this.instances.some(({ live }) => live)) this.faults.push("it migrates under a running agent");
  }

  async start(side: Side, agents: readonly string[]): Promise<void> {
    this.#fail("start");
    if (side !== this.side) this.faults.push(`${side} is started while a start takes ${this.side}`);
    for (const agent of agents) await this.starter(agent, side).finish();
  }

  /** Somebody's start, one request at a time. */
  starter(agent: string, side: Side): Starter {
    this.#attempts += 1;
    return new Starter(this, agent, side, this.#attempts);
  }

  target(side: Side): Move["from"] {
    return side === "new" ? this.proposal.to : this.proposal.from;
  }

  add(instance: Instance): void {
    if (this.instances.some(({ agent }) => agent === instance.agent)) return;
    this.instances.push(instance);
    const sides = new Set(this.instances.filter(({ live }) => live).map(({ side }) => side));
    if (sides.size > 1) this.faults.push("both formats live");
  }

  alive(): string[] {
    return this.instances.flatMap(({ agent, side, live }) => (live ? [`${agent} ${side}`] : [])).sort();
  }

  #fail(operation: keyof MoveHands): void {
    const left = this.failing.get(operation) ?? 0;
    this.failing.set(operation, left - 1);
    if (left > 0) throw new Error(`${operation} exits with code 1`);
  }
}

export class Starter {
  readonly #steps: (() => Promise<boolean>)[];
  /** The code of what refused it. */
  refused: string | null = null;

  constructor(fleet: MemoryFleet, agent: string, side: Side, attempt: number) {
    const admission = gateAdmission(fleet.documents, fleet.proposal.fleet, fleet.target(side));
    this.#steps = [
      async () => {
        if (fleet.instances.some((one) => one.agent === agent)) return false;
        const admitted = await admission.begin();
        this.refused = admitted.kind === "refuse" ? admitted.condition.code : null;
        return admitted.kind === "pass";
      },
      async () => fleet.secrets.add(attempt) !== undefined,
      async () => {
        this.refused = (await admission.stillHolds())?.code ?? null;
        if (this.refused !== null) fleet.secrets.delete(attempt);
        return this.refused === null;
      },
      async () => {
        const live = fleet.secrets.has(attempt);
        fleet.add({ agent, side, attempt, live, ending: false });
        return true;
      },
    ];
  }

  get over(): boolean {
    return this.#steps.length === 0;
  }

  async step(): Promise<void> {
    const step = this.#steps.shift();
    if (step !== undefined && !(await step())) this.#steps.length = 0;
  }

  async finish(): Promise<void> {
    while (!this.over) await this.step();
  }
}

/** Sleeping costs nothing and takes as long as it says. */
function timeless(): Clock {
  let now = 0;
  return {
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
  };
}

function tokens(): Random {
  let last = 0;
  return {
    token: (digits) => {
      last += 1;
      return last.toString(16).padStart(digits, "0");
    },
    fraction: () => 0.5,
  };
}
