/** What goes on record about an agent's process, so that whoever looks later can prove which processes are that agent's. */
import type { MachineIdentity } from "./machine.ts";

export interface ProcessMark {
  readonly machine: MachineIdentity;
  /** The process that was spawned: the gate, which becomes the agent. It leads its own group and session. */
  readonly pid: number;
  /**
   * Its start exactly as the platform tells it, never computed through a clock: clock ticks since boot on Linux,
   * seconds since 1970 as the kernel noted them on macOS. Compared for equality and order, on one boot alone.
   */
  readonly start: number;
  readonly group: number;
  /** Null where the platform does not tell sessions (macOS). */
  readonly session: number | null;
  /** The values of MOORAGE_INSTANCE and MOORAGE_ATTEMPT in its environment. */
  readonly instance: string;
  readonly attempt: string;
  /** Absolute, resolved paths of the FIFOs that are its stdout and stderr. */
  readonly outputs: readonly string[];
  /** ISO 8601, for people alone. */
  readonly recordedAt: string;
}

/** A process that was proved to be the agent's at some moment. The same numbers with another start are another process. */
export interface Kin {
  readonly pid: number;
  readonly start: number;
}
