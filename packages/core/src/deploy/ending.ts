/** How an agent's process came to its end, as far as it is known. */

export type EndingReason =
  /** It ended by itself; the exit code tells how. */
  | "exited"
  | "signaled"
  | "outOfMemory"
  | "evicted"
  /** Its supervisor is gone and nobody saw the end. */
  | "supervisorLost"
  | "rebooted"
  | "stopped"
  | "idle"
  /** The harness could not start it: the command was not there any more. */
  | "notStarted"
  | "trialFailed"
  | "unknown";

export interface Ending {
  readonly reason: EndingReason;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** For people: the platform's own word, or which turn was lost. Already redacted. */
  readonly detail: string | null;
  /** ISO 8601, for people alone. */
  readonly at: string | null;
}

/** An ending in a few words, such as "exit code 1". */
export function describeEnding(ending: Ending): string {
  const detail = ending.detail === null ? "" : ` (${ending.detail})`;
  switch (ending.reason) {
    case "exited":
      return `exit code ${ending.exitCode ?? "unknown"}${detail}`;
    case "signaled":
      return `ended by ${ending.signal ?? "a signal"}${detail}`;
    case "outOfMemory":
      return `out of memory${detail}`;
    case "evicted":
      return `evicted${detail}`;
    case "supervisorLost":
      return `its supervisor was lost${detail}`;
    case "rebooted":
      return `the machine was restarted${detail}`;
    case "stopped":
      return `stopped on request${detail}`;
    case "idle":
      return `ended at its idle limit${detail}`;
    case "notStarted":
      return `its command could not be started${detail}`;
    case "trialFailed":
      return `its bundle failed on trial${detail}`;
    case "unknown":
      return `ended, nobody knows how${detail}`;
    default:
      return ending.reason satisfies never;
  }
}
