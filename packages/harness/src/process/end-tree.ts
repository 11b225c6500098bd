/** Ends every process that is provably an agent's, and tells which ones it could not end. */
import type { Abort, Clock } from "@moorage/core";
import type { Kin, ProcessMark } from "./mark.ts";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";

export type Signal = "SIGTERM" | "SIGCONT" | "SIGKILL";

/** Sends a signal to one process. */
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
  /** Another machine, another PID namespace, or a process table that cannot be read. Nothing was signalled. */
  | { readonly kind: "cannotTell"; readonly detail: string };

/** Never rejects for what the machine does. Returns when nothing of the agent's lives, or with those that are left. */
export function endTree(_request: EndTreeRequest): Promise<TreeEnd> {
  throw new Error("not written yet");
}
