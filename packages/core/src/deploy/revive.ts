/** May `keep` start an ended agent again? A pure function of its ending and the history of earlier revives; it never deletes. */
import type { Ending } from "./ending.ts";

/** One earlier revive by `keep`, in milliseconds on one wall or monotonic clock, whichever the caller uses throughout. */
export interface Revive {
  readonly at: number;
}

export interface ReviveHistory {
  readonly policy: "never" | "onFailure";
  readonly revives: readonly Revive[];
  /** How long the ended run lived, in milliseconds; null when unknown. */
  readonly livedMs: number | null;
  readonly now: number;
}

export type ReviveDecision =
  | { readonly kind: "revive"; readonly afterMs: number }
  /** Not now: the hour's budget is used up. It refills by itself at `refillsAt`. */
  | { readonly kind: "exhausted"; readonly refillsAt: number }
  | { readonly kind: "no"; readonly reason: string };

const firstStepMs = 10_000;
const longestStepMs = 300_000;
const hourMs = 3_600_000;
const budget = 5;
/** A run of this length was healthy: the back-off starts anew. */
const healthyMs = 600_000;
/** EX_CONFIG of sysexits.h: what is wrong does not change by starting again. */
const badConfiguration = 78;
/** EX_TEMPFAIL of sysexits.h: the agent itself asks for time. */
const temporaryFailure = 75;

/** Which endings are failures that a start may mend. */
function refusedEnding(ending: Ending): string | null {
  switch (ending.reason) {
    case "exited":
      if (ending.exitCode === 0) return "it ended by itself, with exit code 0";
      if (ending.exitCode === badConfiguration) return "exit code 78 says that its configuration is wrong";
      return null;
    case "signaled":
    case "outOfMemory":
    case "evicted":
    case "supervisorLost":
    case "rebooted":
      return null;
    case "stopped":
      return "it was stopped on request";
    case "idle":
      return "it ended at its idle limit";
    case "notStarted":
      return "it never started";
    case "trialFailed":
      return "its bundle failed on trial";
    case "unknown":
      return "nobody knows how it ended";
    default:
      return ending.reason satisfies never;
  }
}

/** Five an hour, from 10 s doubling to 5 min; exit code 75 waits the longest step. */
export function mayRevive(ending: Ending, history: ReviveHistory): ReviveDecision {
  if (history.policy === "never") return { kind: "no", reason: "the declaration says revive: never" };
  const refused = refusedEnding(ending);
  if (refused !== null) return { kind: "no", reason: refused };
  const recent = history.revives.filter(({ at }) => at > history.now - hourMs).map(({ at }) => at);
  if (recent.length >= budget) return { kind: "exhausted", refillsAt: Math.min(...recent) + hourMs };
  if (ending.reason === "exited" && ending.exitCode === temporaryFailure)
    return { kind: "revive", afterMs: longestStepMs };
  const healthy = history.livedMs !== null && history.livedMs >= healthyMs;
  const step = healthy ? 0 : recent.length;
  return { kind: "revive", afterMs: Math.min(firstStepMs * 2 ** step, longestStepMs) };
}
