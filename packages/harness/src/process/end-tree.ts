/** Ends every process that is provably an agent's, and tells which ones it could not end. */
import type { Abort, Clock } from "@moorage/core";
import { compareMachines, type MachineIdentity, machineIdentity } from "./machine.ts";
import type { Kin, ProcessMark } from "./mark.ts";
import type { ProcessEntry, ProcessTable, Scan } from "./process-table.ts";
import { proveMembers } from "./prove-member.ts";

export type Signal = "SIGTERM" | "SIGCONT" | "SIGKILL" | CatalogSignal;

/** What tells a process of a new catalog. Declared by name alone: one that is not prepared for it dies of it. */
export type CatalogSignal = (typeof catalogSignals)[number];

export const catalogSignals: readonly ["SIGHUP", "SIGUSR1", "SIGUSR2"] = ["SIGHUP", "SIGUSR1", "SIGUSR2"];

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

interface Member {
  readonly entry: ProcessEntry;
  readonly start: number;
  readonly reason: string;
  told: "nothing" | "term" | "kill" | "denied";
}

const machineDetails = {
  otherMachine: "the record was written on another machine",
  otherNamespace: "the record was written in another PID namespace, where its numbers mean other processes",
  cannotTell: "this machine does not tell whether it is the one that the record was written on",
} as const;

/** Never rejects for what the machine does. Returns when nothing of the agent's lives, or with those that are left. */
export async function endTree(request: EndTreeRequest): Promise<TreeEnd> {
  if (request.continuity === "recorded") {
    const machine = compareMachines(request.mark.machine, request.here ?? machineIdentity());
    if (machine === "rebooted") return { kind: "ended", ended: [], killed: 0 };
    if (machine !== "same") return { kind: "cannotTell", detail: machineDetails[machine] };
  }
  return new TreeEnding(request).run();
}

class TreeEnding {
  readonly #request: EndTreeRequest;
  readonly #members = new Map<string, Member>();
  readonly #termUntil: number;
  #continuity: EndTreeRequest["continuity"];
  #killSince: number | null = null;
  #helplessSince: number | null = null;

  constructor(request: EndTreeRequest) {
    this.#request = request;
    this.#continuity = request.continuity;
    this.#termUntil = request.clock.now() + request.termGraceMs;
  }

  async run(): Promise<TreeEnd> {
    // A process that forks and ends while the table is read may hide its child once: nothing counts when seen twice.
    for (let empty = 0; ; ) {
      const scan = await this.#scan();
      if (scan.kind === "unreadable") return { kind: "cannotTell", detail: scan.detail };
      const { living, unproved } = this.#sort(scan.processes);
      empty = living.length === 0 ? empty + 1 : 0;
      if (empty === 2) return unproved.length > 0 ? { kind: "leftovers", leftovers: unproved } : this.#ended();
      if (empty === 1) continue;
      this.#tell((await this.#stillThere(living)) ?? []);
      const left = await this.#await(living);
      if (left.length > 0) return { kind: "leftovers", leftovers: [...left, ...unproved] };
    }
  }

  #scan(): Promise<Scan> {
    const { mark, table } = this.#request;
    return table.scan({ since: mark.start, outputs: mark.outputs });
  }

  #sort(processes: readonly ProcessEntry[]): { readonly living: Member[]; readonly unproved: Leftover[] } {
    const { mark, table, kin = [] } = this.#request;
    const seen = [...this.#members.values()].map(({ entry, start }) => ({ pid: entry.pid, start }));
    const living: Member[] = [];
    const unproved: Leftover[] = [];
    const request = { mark, continuity: this.#continuity, kin: [...kin, ...seen], self: table.self };
    for (const { entry, proof } of proveMembers(processes, request)) {
      const { pid, command, start } = entry;
      // From here on the group is watched: what its members leave in it while they end is theirs.
      if (proof.kind === "ours" && entry.group === mark.group) this.#continuity = "watched";
      if (entry.state === "zombie") continue;
      if (proof.kind === "unproved") unproved.push({ pid, command, why: "unproved", reason: proof.reason });
      if (proof.kind !== "ours" || start === null) continue;
      const member = this.#members.get(`${pid}:${start}`) ?? { entry, start, reason: proof.reason, told: "nothing" };
      this.#members.set(`${pid}:${start}`, member);
      living.push(member);
    }
    return { living, unproved };
  }

  /** TERM once, with a CONT so that a stopped one can act on it; KILL once the grace is over. */
  #tell(members: readonly Member[]): void {
    const { clock, hurry, kill } = this.#request;
    const now = clock.now();
    if (this.#killSince === null && (hurry?.aborted === true || now >= this.#termUntil)) this.#killSince = now;
    const level = this.#killSince === null ? "term" : "kill";
    if (level === "kill") this.#killGroup(members);
    for (const member of members) {
      if (member.told === "denied" || member.told === level) continue;
      const { pid } = member.entry;
      const sent = kill(pid, level === "kill" ? "SIGKILL" : "SIGTERM");
      member.told = sent === "denied" ? "denied" : level;
      if (level === "term" && sent === "sent") kill(pid, "SIGCONT");
    }
  }

  /**
   * What forks and ends at once is faster than any table: the kernel alone reaches all of a group at one moment. A group is
   * always of one session, so a proved member of the agent's group that lives now proves the others; without one, its
   * number may mean somebody else by now.
   */
  #killGroup(members: readonly Member[]): void {
    const { mark, kill } = this.#request;
    const proved = members.some(({ entry, told }) => entry.group === mark.group && told !== "kill");
    if (proved && mark.group > 1) kill(-mark.group, "SIGKILL");
  }

  /** Those that live with the same number and the same start, asked right before each signal; null: it cannot be told. */
  async #stillThere(members: readonly Member[]): Promise<readonly Member[] | null> {
    const scan = await this.#request.table.look(members.map(({ entry }) => entry.pid));
    if (scan.kind === "unreadable") return null;
    const present = new Map(scan.processes.map((entry) => [entry.pid, entry]));
    return members.filter(({ entry, start }) => {
      const now = present.get(entry.pid);
      return now?.start === start && now.state !== "zombie";
    });
  }

  /** Waits until they are dead or the grace is over; gives back those that nothing more can be done about. */
  async #await(members: readonly Member[]): Promise<readonly Leftover[]> {
    const { clock, hurry } = this.#request;
    for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
      const alive = (await this.#stillThere(members)) ?? members;
      if (alive.length === 0) return [];
      const now = clock.now();
      const helpless = alive.every(({ told }) => told === "denied");
      this.#helplessSince = helpless ? (this.#helplessSince ?? now) : null;
      const terminating = this.#killSince === null && !helpless;
      const until = this.#waitUntil();
      if (now >= until || (terminating && hurry?.aborted === true)) return terminating ? [] : alive.map(leftover);
      await clock.sleep(Math.min(pause, until - now), terminating ? hurry : undefined);
    }
  }

  #waitUntil(): number {
    if (this.#helplessSince !== null) return this.#helplessSince + leftAloneMs;
    return this.#killSince === null ? this.#termUntil : this.#killSince + (this.#request.killGraceMs ?? killGraceMs);
  }

  #ended(): TreeEnd {
    const members = [...this.#members.values()];
    return {
      kind: "ended",
      ended: members.map(({ entry }) => entry),
      killed: members.filter(({ told }) => told === "kill").length,
    };
  }
}

function leftover({ entry, told, reason }: Member): Leftover {
  const why = told === "denied" ? "notPermitted" : "undead";
  return { pid: entry.pid, command: entry.command, why, reason };
}
