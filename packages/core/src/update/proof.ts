/** When a trial ends well, by how the agent takes part. */
import type { Confirmed, Progress, Run } from "./life.ts";

/** What a trial wants of an agent whose declaration says nothing: turns, and milliseconds to live on. */
export const usualTrial: Pick<Run, "turns" | "bakeMs"> = { turns: 1, bakeMs: 10_000 };

export const noProgress: Progress = { turns: 0, baked: false, checked: false };

/** What the progress proves, or null while it proves nothing yet. */
export function proofOf(run: Run, { turns, baked, checked }: Progress): Confirmed["proof"] | null {
  if (!baked) return null;
  switch (run.takesPart) {
    case "socket":
      return turns >= run.turns ? "proven" : null;
    case "files":
      return checked || !run.check ? "proven" : null;
    case "nothing":
      return "unproven";
    default:
      return run.takesPart satisfies never;
  }
}
