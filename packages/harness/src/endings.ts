/** From what was seen at an agent's end to the ending that goes on record. */
import type { Ending } from "@moorage/core";

/** How the agent's own process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why its program never ran, in words; null when it ran. */
  readonly notStarted: string | null;
  /** The kernel counted an out-of-memory kill where the agent ran. */
  readonly outOfMemory: boolean;
}

/** A turn that was in flight when the agent ended. */
export interface LostTurn {
  readonly id: string;
  /** Milliseconds of the awake clock. */
  readonly ageMs: number;
}

export interface Seen {
  /** Why it was asked to end; null when it ended by itself. */
  readonly stop: "stopped" | "idle" | null;
  readonly exit: Exit;
  readonly lost: readonly LostTurn[];
  /** Something of it was still there when its grace was over. */
  readonly killed: boolean;
}

/** A stop that was asked for names the ending, however the agent then ended; its exit code stays with it. */
export function endingOf(seen: Seen): Ending {
  const { exit } = seen;
  const details: string[] = [];
  if (exit.notStarted !== null) details.push(exit.notStarted);
  if (seen.lost.length > 0) details.push(describeLost(seen.lost));
  if (seen.killed) details.push("what was still there when its grace was over was killed");
  return {
    reason: reasonOf(seen),
    exitCode: exit.code,
    signal: exit.signal,
    detail: details.length === 0 ? null : details.join("; "),
    at: null,
  };
}

function reasonOf({ stop, exit }: Seen): Ending["reason"] {
  if (stop !== null) return stop;
  if (exit.notStarted !== null) return "notStarted";
  if (exit.signal === null) return "exited";
  return exit.outOfMemory && exit.signal === "SIGKILL" ? "outOfMemory" : "signaled";
}

const namedAtMost = 3;

/** "turn t3 was lost, 12 s after it began", the oldest first. */
export function describeLost(lost: readonly LostTurn[]): string {
  const named = lost
    .slice(0, namedAtMost)
    .map(({ id, ageMs }) => `${id} (${seconds(ageMs)} after it began)`)
    .join(", ");
  const more = lost.length - namedAtMost;
  const rest = more > 0 ? ` and ${more} more` : "";
  return `${lost.length === 1 ? "turn" : "turns"} ${named}${rest} ${lost.length === 1 ? "was" : "were"} lost`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
