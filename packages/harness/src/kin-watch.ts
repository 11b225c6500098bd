/** Remembers an agent's descendants where nothing but their parent tells whose they are, and only while that lives. */
import type { Clock } from "@moorage/core";
import type { Kin, ProcessMark } from "./process/mark.ts";
import type { ProcessTable } from "./process/process-table.ts";
import { descendants } from "./process/tree.ts";

/** A look at all processes is dear there; an agent's helpers come at its start or stay long. */
const everyMs = 30_000;

export class KinWatch {
  readonly #table: ProcessTable;
  readonly #clock: Clock;
  readonly #mark: ProcessMark;
  readonly #kin = new Map<string, Kin>();
  #last: number | null = null;

  constructor(table: ProcessTable, clock: Clock, mark: ProcessMark) {
    this.#table = table;
    this.#clock = clock;
    this.#mark = mark;
  }

  /** Looks when a look is due. */
  async tick(): Promise<void> {
    if (this.#last === null || this.#clock.now() - this.#last >= everyMs) await this.look();
  }

  /** Looks now. Where the environment tells whose a process is, nothing is needed. */
  async look(): Promise<void> {
    if (!this.#table.hidesEnvironments) return;
    this.#last = this.#clock.now();
    const scan = await this.#table.scan(null);
    if (scan.kind === "unreadable") return;
    const starts = new Map(scan.processes.map(({ pid, start }) => [pid, start]));
    for (const [key, { pid, start }] of this.#kin) if (starts.get(pid) !== start) this.#kin.delete(key);
    // What a remembered one has started since is found through it, even when the leader is gone.
    for (const root of [this.#mark, ...this.#kin.values()])
      for (const kin of descendants(scan.processes, root)) this.#kin.set(`${kin.pid}:${kin.start}`, kin);
  }

  get kin(): readonly Kin[] {
    return [...this.#kin.values()];
  }
}
