/** Ends an agent and all that it started, however long that takes: an end that is not proved is no end. */
import type { Abort, Clock } from "@moorage/core";
import type { Kill } from "./process/end-tree.ts";
import { endTree } from "./process/end-tree.ts";
import type { Kin, ProcessMark } from "./process/mark.ts";
import type { ProcessTable } from "./process/process-table.ts";

export interface EndAgentRequest {
  readonly mark: ProcessMark;
  readonly kin: readonly Kin[];
  /** Milliseconds between SIGTERM and SIGKILL, unless `hurry` aborts before. */
  readonly graceMs: number;
  readonly hurry: Abort;
  readonly table: ProcessTable;
  readonly kill: Kill;
  readonly clock: Clock;
}

const firstPauseMs = 500;
const longestPauseMs = 10_000;

/** Resolves when nothing of it lives. `killed`: something did not end by itself within the grace. */
export async function endAgent(request: EndAgentRequest): Promise<{ readonly killed: boolean }> {
  let killed = false;
  let termGraceMs = request.graceMs;
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    const { mark, kin, hurry, table, kill, clock } = request;
    const end = await endTree({ mark, kin, continuity: "watched", termGraceMs, hurry, table, kill, clock });
    switch (end.kind) {
      case "ended":
        return { killed: killed || end.killed > 0 };
      case "leftovers":
        // What merely uses our numbers is nobody's business of ours; the rest is tried again until it is gone.
        if (end.leftovers.every(({ why }) => why === "unproved")) return { killed };
        killed = true;
        termGraceMs = 0;
        break;
      case "cannotTell":
        return { killed: (await endGroup(request)) || killed };
      default:
        end satisfies never;
    }
    await clock.sleep(pause);
  }
}

const groupPauseMs = 100;

/** Where no process table can be read: its group alone, which is ours as long as we are its leader's parent. */
async function endGroup({ mark, graceMs, hurry, kill, clock }: EndAgentRequest): Promise<boolean> {
  const killAt = clock.now() + graceMs;
  kill(-mark.group, "SIGTERM");
  let killed = false;
  // SIGCONT wakes what is stopped, changes nothing else, and tells whether anybody is left.
  while (kill(-mark.group, "SIGCONT") !== "gone") {
    if (hurry.aborted || clock.now() >= killAt) {
      killed = true;
      kill(-mark.group, "SIGKILL");
    }
    await clock.sleep(groupPauseMs);
  }
  return killed;
}
