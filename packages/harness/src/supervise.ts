/** The supervisor of one agent: performs what `life.ts` decides, on the clock and on what the agent and the record tell. */
import type { Clock, Ending } from "@moorage/core";
import { Conversation } from "./conversation.ts";
import { endAgent } from "./end-agent.ts";
import type { Exit } from "./endings.ts";
import type { GateExit } from "./gate.ts";
import { gateFailure } from "./gate.ts";
import { KinWatch } from "./kin-watch.ts";
import type { Launch } from "./launch.ts";
import type { Effect, Input, Life, StopReason } from "./life.ts";
import { deadlineOf, step } from "./life.ts";
import type { AfterExit, CatalogEvent, LiveCatalog } from "./live-catalog.ts";
import { outOfMemoryKills } from "./out-of-memory.ts";
import type { Output } from "./output.ts";
import type { CatalogSignal, Kill } from "./process/end-tree.ts";
import type { ProcessTable } from "./process/process-table.ts";
import { signalProcess } from "./process/signal-process.ts";
import { findProgram } from "./program.ts";
import type { Record, Recorded } from "./record.ts";
import type { AgentProcess } from "./spawn-agent.ts";
import { spawnAgent } from "./spawn-agent.ts";
import type { SupervisorSpec } from "./spec.ts";
import { checkSpec } from "./spec.ts";
import type { Told } from "./told.ts";
import { execSeen } from "./watch-exec.ts";

export interface SupervisorPorts {
  readonly record: Record;
  readonly clock: Clock;
  readonly table: ProcessTable;
  readonly kill: Kill;
  readonly launch: Launch;
  /** Milliseconds since 1970, for people alone. */
  readonly wallTime: () => number;
  /** What delivers bundles to it; absent: its catalog, if it has one, never changes. */
  readonly catalog?: LiveCatalog;
  /** Hears of what no record holds. */
  readonly tell?: (told: Told) => void;
}

export type SupervisionEnd =
  /** The agent and all that it started are gone, its output is in the log, and the ending is on record. */
  | { readonly kind: "ended"; readonly ending: Ending }
  /** Nothing was recorded, and nothing of it is left: it is to be started once more, on the catalog that is live now. */
  | { readonly kind: "again"; readonly why: string }
  /** The instance was no longer ours: nothing was recorded. Whatever had been started is gone. */
  | { readonly kind: "notOurs"; readonly detail: string };

export interface Supervision {
  /** For SIGTERM: the same path as a mark in the record. A later call only ever shortens. */
  stop(graceMs: number | null): void;
  /** Looks at the record now. */
  poke(): void;
  readonly done: Promise<SupervisionEnd>;
}

/** Starts the agent and keeps it until it is gone. Throws a `HarnessFault` for a spec that contradicts itself. */
export function supervise(spec: SupervisorSpec, ports: SupervisorPorts): Supervision {
  checkSpec(spec);
  const supervisor = new Supervisor(spec, ports);
  return {
    stop: (graceMs) => supervisor.stop("stopped", graceMs),
    poke: () => supervisor.look(),
    done: supervisor.run(),
  };
}

/** How often the record, the socket and the health are looked at: under one wake-up a second at rest. */
const lookMs = 2_000;
const firstRetryMs = 100;
/** Output that is still on its way when nobody can write any more comes well within this. */
const lastOutputMs = 2_000;
/** A gate that failed says why right away. */
const gateWordsMs = 300;

class Supervisor {
  readonly #spec: SupervisorSpec;
  readonly #ports: SupervisorPorts;
  readonly #conversation: Conversation;
  readonly #hurry = new AbortController();
  readonly #leaderGone = new AbortController();
  #life: Life = { phase: "waiting" };
  #wake = new AbortController();
  #notOurs: string | null = null;
  #output: Output | null = null;
  #process: AgentProcess | null = null;
  #kin: KinWatch | null = null;
  #opened = false;
  /** Somebody wants the agent to end, and not to go on. */
  #asked = false;
  #ending = false;
  #outOfMemoryKills: number | null = null;

  constructor(spec: SupervisorSpec, ports: SupervisorPorts) {
    this.#spec = spec;
    this.#ports = ports;
    this.#conversation = new Conversation(spec, {
      catalog: ports.catalog ?? null,
      clock: ports.clock,
      wallTime: ports.wallTime,
      onTurnEnded: () => this.#input({ kind: "tick" }),
      onPoke: () => this.look(),
    });
    ports.catalog?.listen({ hear: (event) => this.#hear(event), held: () => this.#conversation.catalogs() });
  }

  async run(): Promise<SupervisionEnd> {
    const [, ending] = await Promise.all([this.#start(), this.#keep()]);
    this.#output?.release();
    await this.#output?.ended(lastOutputMs);
    this.#output?.close();
    this.#ports.launch.close();
    this.#conversation.close();
    this.#lookAtRecord();
    const after = this.#ports.catalog?.exited(ending, !this.#asked) ?? endNow;
    if (after.kind === "again" && this.#notOurs === null) return after;
    const told: Ending = { ...endingAfter(ending, after), at: this.#at() };
    if (this.#notOurs === null)
      await this.#write(
        () => this.#ports.record.ended(told),
        () => true,
      );
    return this.#notOurs === null ? { kind: "ended", ending: told } : { kind: "notOurs", detail: this.#notOurs };
  }

  stop(reason: StopReason, graceMs: number | null): void {
    if (reason !== "renewed") this.#asked = true;
    this.#input({ kind: "stop", reason, graceMs });
  }

  look(): void {
    if (this.#life.phase === "ended") return;
    this.#lookAtRecord();
    // Once it ends nothing is proven any more.
    if (["waiting", "gated", "opening", "running"].includes(this.#life.phase))
      this.#ports.catalog?.look(this.#conversation.health);
  }

  #lookAtRecord(): void {
    const look = this.#ports.record.look();
    if (look.kind === "ours" && look.stop !== null) this.stop("stopped", look.stop.graceMs);
    if (look.kind === "gone") this.#lose(look.detail);
  }

  /** Everything up to the gate. What cannot be had ends the life with its reason in words. */
  async #start(): Promise<void> {
    const { spec, ports } = { spec: this.#spec, ports: this.#ports };
    const path = spec.env["PATH"] ?? "";
    const program = findProgram(spec.command, spec.directory, path);
    if (program.kind === "refused") return this.#input({ kind: "cannotStart", detail: program.detail });
    const [output, socket] = await Promise.allSettled([
      ports.launch.open(path, ports.clock),
      this.#conversation.open(),
    ]);
    if (output.status === "fulfilled") this.#output = output.value;
    const failed = [output, socket].find((each) => each.status === "rejected");
    if (failed !== undefined) return this.#input({ kind: "cannotStart", detail: words(failed.reason) });
    if (this.#output !== null && this.#life.phase === "waiting") await this.#spawn(this.#output);
  }

  async #spawn(output: Output): Promise<void> {
    const { launch, table, clock } = this.#ports;
    const spawned = await spawnAgent(this.#spec, launch, output, table, this.#at());
    if (spawned.kind === "failed") return this.#input({ kind: "cannotStart", detail: spawned.detail });
    const { gated, mark } = spawned.process;
    if (this.#life.phase !== "waiting") {
      // A stop came meanwhile, and was on record at once.
      gated.close();
      await gated.exited;
      return;
    }
    this.#process = spawned.process;
    this.#kin = new KinWatch(table, clock, mark);
    this.#outOfMemoryKills = outOfMemoryKills();
    void this.#awaitExit(gated.exited);
    this.#input({ kind: "spawned" });
  }

  async #awaitExit(exited: Promise<GateExit>): Promise<void> {
    const ended = await exited;
    const lost = this.#conversation.lost();
    if (lost.length > 0) this.#tell({ kind: "lost", turns: lost });
    const exit = await this.#judgeExit(ended);
    this.#leaderGone.abort();
    this.#input({ kind: "exited", exit, lost });
  }

  async #judgeExit(ended: GateExit): Promise<Exit> {
    if (!this.#opened) return { code: null, signal: null, notStarted: "it had not been started", outOfMemory: false };
    const before = this.#outOfMemoryKills;
    const outOfMemory = before !== null && (outOfMemoryKills() ?? 0) > before;
    if (this.#life.phase !== "opening") return { ...ended, notStarted: null, outOfMemory };
    await this.#output?.ended(gateWordsMs);
    return { ...ended, notStarted: gateFailure(ended, this.#output?.stderrHead() ?? ""), outOfMemory };
  }

  /** Ticks until the life has ended. */
  async #keep(): Promise<Ending> {
    for (;;) {
      const life = this.#life;
      if (life.phase === "ended") return life.ending;
      const wake = new AbortController();
      this.#wake = wake;
      await this.#ports.clock.sleep(this.#untilTick(life), wake.signal);
      this.#input({ kind: "tick" });
      this.look();
      if (this.#idleLeftMs() <= 0) this.stop("idle", null);
      await Promise.all([this.#conversation.check(), this.#kin?.tick()]);
    }
  }

  #untilTick(life: Life): number {
    const deadline = deadlineOf(life);
    const left = deadline === null ? lookMs : deadline - this.#ports.clock.now();
    const due = this.#ports.catalog?.dueAt() ?? null;
    const dueLeft = due === null || life.phase !== "running" ? lookMs : due - this.#ports.clock.now();
    return Math.max(0, Math.min(lookMs, left, dueLeft, this.#idleLeftMs()));
  }

  #idleLeftMs(): number {
    const { idleMs } = this.#spec;
    if (idleMs === null || this.#life.phase !== "running") return Infinity;
    return idleMs - this.#conversation.quietMs();
  }

  #announceDrain(): void {
    const life = this.#life;
    // Without a turn in flight there is nothing to wait for, and the life is further already.
    const leftMs = life.phase === "draining" ? life.stop.drainUntil - this.#ports.clock.now() : 0;
    const reason = ("stop" in life ? life.stop?.reason : null) ?? "stopped";
    this.#tell({ kind: "draining", reason, inFlight: this.#conversation.inFlight, leftMs });
    this.#conversation.drain(leftMs);
  }

  #tell(told: Told): void {
    this.#ports.tell?.(told);
  }

  #input(input: Input): void {
    const { drainMs, graceMs } = this.#spec;
    const before = this.#life;
    const situation = {
      now: this.#ports.clock.now(),
      inFlight: this.#conversation.inFlight,
      limits: { drainMs, graceMs },
    };
    const { life, effects } = step(this.#life, input, situation);
    this.#life = life;
    for (const effect of effects) this.#perform(effect);
    // Another phase waits for another time; so does a stop that was shortened.
    if (life.phase !== before.phase || deadlineOf(life) !== deadlineOf(before)) this.#wake.abort();
  }

  #perform(effect: Effect): void {
    switch (effect) {
      case "recordSpawned":
        void this.#recordSpawned();
        return;
      case "openGate":
        this.#opened = true;
        this.#process?.gated.open();
        void this.#watchExec();
        return;
      case "closeGate":
        this.#process?.gated.close();
        return;
      case "recordRunning":
        void this.#recordRunning();
        return;
      case "announceDrain":
        this.#announceDrain();
        return;
      case "terminate":
        void this.#end();
        return;
      case "kill":
        this.#tell({ kind: "killing" });
        this.#hurry.abort();
        return;
      case "recordEnded":
        // `run` records it, once the output is in the log and the socket is gone.
        return;
      default:
        effect satisfies never;
    }
  }

  async #recordSpawned(): Promise<void> {
    const mark = this.#process?.mark;
    if (mark === undefined) return;
    const wanted = (): boolean => this.#life.phase === "gated";
    if (await this.#write(() => this.#ports.record.spawned(mark), wanted)) this.#input({ kind: "recorded" });
  }

  #hear(event: CatalogEvent): void {
    switch (event.kind) {
      case "staged":
      case "switched":
        return this.#conversation.bundle(event.kind, event.bundle);
      case "signal":
        return void this.#signal(event.signal);
      case "endProcess":
        return this.stop("renewed", null);
      default:
        event satisfies never;
    }
  }

  async #signal(signal: CatalogSignal): Promise<void> {
    const mark = this.#process?.mark;
    if (mark === undefined || this.#life.phase !== "running") return;
    const { table, kill } = this.#ports;
    await signalProcess({ mark, signal, table, kill });
  }

  async #recordRunning(): Promise<void> {
    this.#ports.catalog?.started();
    const at = this.#at();
    await this.#write(
      () => this.#ports.record.running(at),
      () => this.#life.phase !== "ended",
    );
  }

  async #watchExec(): Promise<void> {
    if (this.#process === null) return;
    const { gated, gateCommand } = this.#process;
    const { table, clock } = this.#ports;
    const over = this.#leaderGone.signal;
    if (gateCommand === null) return this.#input({ kind: "execSeen" });
    if (await execSeen({ pid: gated.pid, gateCommand, passed: gated.passed, over, table, clock }))
      this.#input({ kind: "execSeen" });
  }

  async #end(): Promise<void> {
    const mark = this.#process?.mark;
    if (this.#ending || mark === undefined) return;
    this.#ending = true;
    const { table, kill, clock } = this.#ports;
    const { graceMs } = this.#spec;
    await this.#kin?.look();
    const kin = this.#kin?.kin ?? [];
    const { killed } = await endAgent({ mark, kin, graceMs, hurry: this.#hurry.signal, table, kill, clock });
    if (!this.#leaderGone.signal.aborted)
      await new Promise<void>((resolve) => this.#leaderGone.signal.addEventListener("abort", () => resolve()));
    this.#input({ kind: "empty", killed });
  }

  /** Tries until the record takes it. False: nobody wants it any more, or the instance is not ours. */
  async #write(write: () => Recorded, wanted: () => boolean): Promise<boolean> {
    for (let pause = firstRetryMs; wanted(); pause = Math.min(pause * 2, lookMs)) {
      const recorded = write();
      if (recorded.kind === "recorded") return true;
      if (recorded.kind === "notOurs") {
        this.#lose("its record is gone, or belongs to another one");
        return false;
      }
      await this.#ports.clock.sleep(pause);
      const look = this.#ports.record.look();
      if (look.kind === "gone") this.#lose(look.detail);
      if (this.#notOurs !== null) return false;
    }
    return false;
  }

  /** No copy may live without its record: another could come beside it. */
  #lose(detail: string): void {
    this.#notOurs ??= detail;
    this.stop("stopped", null);
  }

  #at(): string {
    return new Date(this.#ports.wallTime()).toISOString();
  }
}

const endNow: AfterExit = { kind: "end", failed: null };

function endingAfter(ending: Ending, after: AfterExit): Ending {
  if (after.kind === "again" || after.failed === null) return ending;
  const detail = ending.detail === null ? after.failed : `${after.failed}; ${ending.detail}`;
  return { ...ending, reason: "trialFailed", detail };
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
