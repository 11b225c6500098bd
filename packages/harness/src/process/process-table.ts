/** The machine's processes as one look at them tells; how that look is taken is the platform's business. */

/** Whose environment marker a process carries. */
export type Belonging =
  | { readonly kind: "instance"; readonly instance: string; readonly attempt: string | null }
  | { readonly kind: "none" }
  /** Not asked for, not permitted, or a platform that hides it. Says nothing. */
  | { readonly kind: "unreadable" };

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Null where the platform does not tell sessions (macOS). */
  readonly session: number | null;
  /** Raw, see `ProcessMark.start`. Null: unreadable, which is "cannot tell" and never "dead". */
  readonly start: number | null;
  /** A zombie is dead: it only waits for a parent that may never collect it. */
  readonly state: "alive" | "stopped" | "zombie";
  /**
   * The command line in one line, or the program's bare name where the scan did not look that closely. May hold
   * anything: redact before it is shown.
   */
  readonly command: string;
  readonly belonging: Belonging;
  /** It can write to one of the outputs that were asked for. Null: not asked for, or cannot be told. */
  readonly holdsOutput: boolean | null;
}

/** What a scan also looks up, for processes that did not start before `since`. */
export interface Evidence {
  readonly since: number;
  readonly outputs: readonly string[];
}

export type Scan =
  | { readonly kind: "read"; readonly processes: readonly ProcessEntry[] }
  | { readonly kind: "unreadable"; readonly detail: string };

export interface ProcessUsage {
  /** Resident memory of all processes of the tree, in bytes. Pages that they share count for each. */
  readonly residentBytes: number;
  /** User and system time of the tree, in seconds. */
  readonly cpuSeconds: number;
  readonly processes: number;
}

export interface ProcessTable {
  /** The process that looks. It is never anybody's member. */
  readonly self: number;
  /**
   * Other processes' environments cannot be read here, so that a child in a session of its own is only known from
   * before: take a snapshot (`descendants` of a scan) now and then while the leader lives, and hand it on as kin.
   */
  readonly hidesEnvironments: boolean;
  /** One pass over all processes. Without evidence neither environments nor descriptors are read. */
  scan(evidence: Evidence | null): Promise<Scan>;
  /** Some processes as they are now, without evidence; those that are gone are missing. */
  look(pids: readonly number[]): Promise<Scan>;
  /** Memory and CPU time of the trees below these leaders, in one pass for all of them. A leader that is gone is missing. */
  usage(leaders: readonly number[]): Promise<ReadonlyMap<number, ProcessUsage>>;
}
