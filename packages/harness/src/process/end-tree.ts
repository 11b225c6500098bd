/** Ends every process that is provably an agent's, and tells which ones it could not end. */
import type { Abort, Clock } from "@moorage/core";
import { compareMachines, type MachineIdentity, machineIdentity } from "./machine.ts";
import type { Kin, ProcessMark } from "./mark.ts";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";
import { type Proved, proveMembers } from "./prove-member.ts";

export type Signal = "SIGTERM" | "SIGCONT" | "SIGKILL";

/** Sends a signal to one process; to a whole group when the number is negative. */
export type Kill = (pid: number, signal: Signal) => "sent" | "gone" | "denied";

export interface EndTreeRequest {
  readonly mark: ProcessMark;
  /**
   * "watched": the caller was the agent's parent until a moment ago, so its numbers cannot be another's yet.
   * "recorded": they come from a record, and may have been given away since.
   */
  readonly continuity: "watched" | "recorded";
  /** Members from earlier snapshots (`descendants`), where there are some. */
  readonly kin?: readonly Kin[];
  /** Milliseconds between TERM and KILL. 0 kills at once. */
  readonly termGraceMs: number;
  /** Milliseconds that killed processes have to disappear before they are told as leftovers. Default 5000. */
  readonly killGraceMs?: number;
  /** Aborted: the grace is over now. */
  readonly hurry?: Abort;
  readonly table: ProcessTable;
  readonly kill: Kill;
  readonly clock: Clock;
  /** Where this runs. Default: what the machine tells now. */
  readonly here?: MachineIdentity;
}

export interface Leftover {
  readonly pid: number;
  readonly command: string;
  /** notPermitted: ours, and we may not signal it. unproved: it uses our numbers, and nothing proves that it is ours. undead: killed, and still there. */
  readonly why: "notPermitted" | "unproved" | "undead";
  /** In words, such as "it holds the agent's output". */
  readonly reason: string;
}

export type TreeEnd =
  /** No process of the agent's lives. `killed`: how many did not end by themselves within the grace. */
  | { readonly kind: "ended"; readonly ended: readonly ProcessEntry[]; readonly killed: number }
  | { readonly kind: "leftovers"; readonly leftovers: readonly Leftover[] }
  /** Another machine, another PID namespace, or a process table that cannot be read: nothing more is signalled. */
  | { readonly kind: "cannotTell"; readonly detail: string };

const killGraceMs = 5_000;
/** What only waits for its parent or its pipe ends by itself within this. */
const leftAloneMs = 1_000;
const firstPauseMs = 5;
const longestPauseMs = 200;

interface Member extends Proved {
  readonly start: number;
  told: "nothing" | "term" | "kill" | "denied";
}

/** Never rejects for what the machine does. Returns when nothing of the agent's lives, or with those that are left. */
export async function endTree(request: EndTreeRequest): Promise<TreeEnd> {
  if (request.continuity === "recorded") {
    const machine = compareMachines(request.mark.machine, request.here ?? machineIdentity());
    if (machine === "rebooted") return { kind: "ended", ended: [], killed: 0 };
    if (machine !== "same") return { kind: "cannotTell", detail: machineDetails[machine] };
  }
  return new TreeEnding(request).run();
}

const machineDetails = {
  otherMachine: "the record was written on another machine",
  otherNamespace: "the record was written in another PID namespace, where its numbers mean other processes",
  cannotTell: "this machine does not tell whether it is the one that the record was written on",
} as const;

class TreeEnding {
  readonly #request: EndTreeRequest;
  readonly #members = new Map<string, Member>();
  readonly #termUntil: number;
  #killSince: number | null = null;
  #quietSince: number | null = null;

  constructor(request: EndTreeRequest) {
    this.#request = request;
    this.#termUntil = request.clock.now() + request.termGraceMs;
  }

  async run(): Promise<TreeEnd> {
    // A process that forks and ends while /proc is read may hide its child once: nothing found counts when found twice.
    for (let empty = 0; ; ) {
      const found = await this.#find();
      if (found.kind === "unreadable") return { kind: "cannotTell", detail: found.detail };
      empty = found.living.length === 0 ? empty + 1 : 0;
      if (empty === 2) return this.#outcome(found.unproved);
      if (empty === 1) continue;
      await this.#signal(found.living);
      await this.#await(found.living);
      const left = this.#givenUp(found.living);
      if (left !== null) return { kind: "leftovers", leftovers: [...left, ...found.unproved] };
    }
  }

  async #find(): Promise<
    | { readonly kind: "unreadable"; readonly detail: string }
    | { readonly kind: "found"; readonly living: readonly Member[]; readonly unproved: readonly Leftover[] }
  > {
    const { mark, continuity, table, kin = [] } = this.#request;
    const scan = await table.scan({ since: mark.start, outputs: mark.outputs });
    if (scan.kind === "unreadable") return scan;
    const known = [...kin, ...[...this.#members.values()].map(({ entry, start }) => ({ pid: entry.pid, start }))];
    const proved = proveMembers(scan.processes, { mark, continuity, kin: known, self: table.self });
    const living: Member[] = [];
    const unproved: Leftover[] = [];
    for (const { entry, proof } of proved) {
      if (entry.state === "zombie") continue;
      if (proof.kind === "unproved") unproved.push({ ...named(entry), why: "unproved", reason: proof.reason });
      if (proof.kind !== "ours" || entry.start === null) continue;
      const key = `${entry.pid}:${entry.start}`;
      const member = this.#members.get(key) ?? { entry, proof, start: entry.start, told: "nothing" };
      this.#members.set(key, member);
      living.push(member);
    }
    return { kind: "found", living, unproved };
  }

  /** TERM once, and CONT so that a stopped one can act on it; KILL once the grace is over. */
  async #signal(living: readonly Member[]): Promise<void> {
    const { clock, hurry, table, kill } = this.#request;
    if (this.#killSince === null && (hurry?.aborted === true || clock.now() >= this.#termUntil))
      this.#killSince = clock.now();
    const level = this.#killSince === null ? "term" : "kill";
    const due = living.filter(({ told }) => told === "nothing" || (level === "kill" && told === "term"));
    for (const member of await this.#stillThere(due)) {
      const { pid } = member.entry;
      const sent = kill(pid, level === "kill" ? "SIGKILL" : "SIGTERM");
      member.told = sent === "denied" ? "denied" : level;
      if (level === "term" && sent === "sent") kill(pid, "SIGCONT");
    }
    void table;
  }

  /** Right before a signal: the same number with the same start. */
  async #stillThere(members: readonly Member[]): Promise<readonly Member[]> {
    const scan = await this.#request.table.look(members.map(({ entry }) => entry.pid));
    if (scan.kind === "unreadable") return [];
    const now = new Map(scan.processes.map((entry) => [entry.pid, entry]));
    return members.filter(({ entry, start }) => {
      const present = now.get(entry.pid);
      return present?.start === start && present.state !== "zombie";
    });
  }

  /** Until these are dead, or until there is something to do about it. */
  async #await(members: readonly Member[]): Promise<void> {
    const { clock, hurry } = this.#request;
    for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
      const alive = await this.#stillThere(members);
      if (alive.length === 0) return;
      const now = clock.now();
      const until = this.#deadline(alive, now);
      if (now >= until || (this.#killSince === null && hurry?.aborted === true)) return;
      await clock.sleep(Math.min(pause, until - now), this.#killSince === null ? hurry : undefined);
    }
  }

  #deadline(alive: readonly Member[], now: number): number {
    if (alive.some(({ told }) => told !== "denied")) {
      this.#quietSince = null;
      return this.#killSince === null ? this.#termUntil : this.#killSince + (this.#request.killGraceMs ?? killGraceMs);
    }
    this.#quietSince ??= now;
    return this.#quietSince + leftAloneMs;
  }

  /** Those that nothing more can be done about, once that holds for all that live. */
  #givenUp(living: readonly Member[]): readonly Leftover[] | null {
    return null;
  }

  #outcome(unproved: readonly Leftover[]): TreeEnd {
    if (unproved.length > 0) return { kind: "leftovers", leftovers: unproved };
    const members = [...this.#members.values()];
    return {
      kind: "ended",
      ended: members.map(({ entry }) => entry),
      killed: members.filter(({ told }) => told === "kill").length,
    };
  }
}

function named(entry: ProcessEntry): { readonly pid: number; readonly command: string } {
  return { pid: entry.pid, command: entry.command };
}
