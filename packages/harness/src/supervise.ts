/** The supervisor of one agent: performs what `life.ts` decides, on the clock and on what the agent and the record tell. */
import type { Clock, Ending } from "@moorage/core";
import { Conversation } from "./conversation.ts";
import { endAgent } from "./end-agent.ts";
import type { Exit } from "./endings.ts";
import type { Gated, GateExit } from "./gate.ts";
import { gateFailure, spawnGated } from "./gate.ts";
import type { Effect, Input, Life, StopReason } from "./life.ts";
import { deadlineOf, step } from "./life.ts";
import type { LogWriter } from "./logs/log-writer.ts";
import { outOfMemoryKills } from "./out-of-memory.ts";
import type { Output } from "./output.ts";
import { openOutput } from "./output.ts";
import type { Kill } from "./process/end-tree.ts";
import type { ProcessMark } from "./process/mark.ts";
import type { ProcessEntry, ProcessTable } from "./process/process-table.ts";
import { findProgram } from "./program.ts";
import type { Record, Recorded } from "./record.ts";
import type { SupervisorSpec } from "./spec.ts";
import { checkSpec } from "./spec.ts";
import { execSeen } from "./watch-exec.ts";

export interface SupervisorPorts {
  readonly record: Record;
  readonly clock: Clock;
  readonly table: ProcessTable;
  readonly kill: Kill;
  readonly log: LogWriter;
  /** Milliseconds since 1970, for people alone. */
  readonly wallTime: () => number;
}

export type SupervisionEnd =
  /** The agent and all that it started are gone, its output is in the log, and the ending is on record. */
  | { readonly kind: "ended"; readonly ending: Ending }
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
  #gated: Gated | null = null;
  #mark: ProcessMark | null = null;
  #gateCommand = "";
  #opened = false;
  #ending = false;
  #outOfMemoryKills: number | null = null;

  constructor(spec: SupervisorSpec, ports: SupervisorPorts) {
    this.#spec = spec;
    this.#ports = ports;
    this.#conversation = new Conversation(spec, {
      clock: ports.clock,
      wallTime: ports.wallTime,
      onTurnEnded: () => this.#input({ kind: "tick" }),
      onPoke: () => this.look(),
    });
  }

  async run(): Promise<SupervisionEnd> {
    const [, ending] = await Promise.all([this.#start(), this.#keep()]);
    await this.#output?.ended(lastOutputMs);
    this.#output?.close();
    this.#ports.log.close();
    this.#conversation.close();
    const told: Ending = { ...ending, at: this.#at() };
    if (this.#notOurs === null)
      await this.#write(
        () => this.#ports.record.ended(told),
        () => true,
      );
    return this.#notOurs === null ? { kind: "ended", ending: told } : { kind: "notOurs", detail: this.#notOurs };
  }

  stop(reason: StopReason, graceMs: number | null): void {
    this.#input({ kind: "stop", reason, graceMs });
  }

  look(): void {
    if (this.#life.phase === "ended") return;
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
    try {
      const opening = openOutput(spec.outputs, path, ports.log, ports.clock);
      await Promise.all([opening.then((output) => (this.#output = output)), this.#conversation.open()]);
    } catch (error) {
      return this.#input({ kind: "cannotStart", detail: error instanceof Error ? error.message : String(error) });
    }
    if (this.#life.phase === "waiting") await this.#spawn();
  }

  async #spawn(): Promise<void> {
    const output = this.#output;
    if (output === null) return;
    const { command, args, directory } = this.#spec;
    const request = {
      command,
      args,
      directory,
      env: this.#environment(),
      stdout: output.stdout,
      stderr: output.stderr,
    };
    const spawned = await spawnGated(request);
    output.release();
    if (spawned.kind === "failed") return this.#input({ kind: "cannotStart", detail: spawned.detail });
    const { gated } = spawned;
    const entry = await this.#lookAt(gated.pid);
    if (this.#life.phase !== "waiting" || entry === null || entry.start === null) {
      gated.close();
      await gated.exited;
      const detail = "the processes of this machine cannot be read, so that nothing could ever prove which one it is";
      return this.#input({ kind: "cannotStart", detail });
    }
    this.#gated = gated;
    this.#gateCommand = entry.command;
    this.#mark = this.#markOf(entry, entry.start);
    this.#outOfMemoryKills = outOfMemoryKills();
    void this.#awaitExit(gated);
    this.#input({ kind: "spawned" });
  }

  async #lookAt(pid: number): Promise<ProcessEntry | null> {
    const scan = await this.#ports.table.look([pid]);
    return scan.kind === "read" ? (scan.processes.find((entry) => entry.pid === pid) ?? null) : null;
  }

  #environment(): { [name: string]: string } {
    const { env, socketPath, catalogDir, instance, attempt } = this.#spec;
    return {
      ...env,
      MOORAGE_SOCKET: socketPath,
      ...(catalogDir === null ? {} : { MOORAGE_CATALOG: catalogDir }),
      MOORAGE_INSTANCE: instance,
      MOORAGE_ATTEMPT: attempt,
    };
  }

  #markOf(entry: ProcessEntry, start: number): ProcessMark {
    const { machine, instance, attempt, outputs } = this.#spec;
    return {
      machine,
      pid: entry.pid,
      start,
      group: entry.group,
      session: entry.session,
      instance,
      attempt,
      outputs: [outputs.stdout, outputs.stderr],
      recordedAt: this.#at(),
    };
  }

  async #awaitExit(gated: Gated): Promise<void> {
    const ended = await gated.exited;
    const lost = this.#conversation.lost();
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
      await this.#conversation.check();
    }
  }

  #untilTick(life: Life): number {
    const deadline = deadlineOf(life);
    const left = deadline === null ? lookMs : deadline - this.#ports.clock.now();
    return Math.max(0, Math.min(lookMs, left, this.#idleLeftMs()));
  }

  #idleLeftMs(): number {
    const { idleMs } = this.#spec;
    if (idleMs === null || this.#life.phase !== "running" || this.#conversation.inFlight > 0) return Infinity;
    return idleMs - this.#conversation.quietMs();
  }

  #drainLeftMs(): number {
    return this.#life.phase === "draining" ? this.#life.stop.drainUntil - this.#ports.clock.now() : 0;
  }

  #input(input: Input): void {
    const { drainMs, graceMs } = this.#spec;
    const before = deadlineOf(this.#life);
    const situation = {
      now: this.#ports.clock.now(),
      inFlight: this.#conversation.inFlight,
      limits: { drainMs, graceMs },
    };
    const { life, effects } = step(this.#life, input, situation);
    this.#life = life;
    for (const effect of effects) this.#perform(effect);
    if (this.#life.phase === "ended" || deadlineOf(this.#life) !== before) this.#wake.abort();
  }

  #perform(effect: Effect): void {
    switch (effect) {
      case "recordSpawned":
        void this.#recordSpawned();
        return;
      case "openGate":
        this.#opened = true;
        this.#gated?.open();
        void this.#watchExec();
        return;
      case "closeGate":
        this.#gated?.close();
        return;
      case "recordRunning":
        void this.#recordRunning();
        return;
      case "announceDrain":
        this.#conversation.drain(this.#drainLeftMs());
        return;
      case "terminate":
        void this.#end();
        return;
      case "kill":
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
    const mark = this.#mark;
    if (mark === null) return;
    const wanted = (): boolean => this.#life.phase === "gated";
    if (await this.#write(() => this.#ports.record.spawned(mark), wanted)) this.#input({ kind: "recorded" });
  }

  async #recordRunning(): Promise<void> {
    const at = this.#at();
    await this.#write(
      () => this.#ports.record.running(at),
      () => this.#life.phase !== "ended",
    );
  }

  async #watchExec(): Promise<void> {
    const gated = this.#gated;
    if (gated === null) return;
    const { table, clock } = this.#ports;
    const over = this.#leaderGone.signal;
    const { pid, passed } = gated;
    if (await execSeen({ pid, gateCommand: this.#gateCommand, passed, over, table, clock }))
      this.#input({ kind: "execSeen" });
  }

  async #end(): Promise<void> {
    const [mark, gated] = [this.#mark, this.#gated];
    if (this.#ending || mark === null || gated === null) return;
    this.#ending = true;
    const { table, kill, clock } = this.#ports;
    const { graceMs } = this.#spec;
    const { killed } = await endAgent({ mark, graceMs, hurry: this.#hurry.signal, table, kill, clock });
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
