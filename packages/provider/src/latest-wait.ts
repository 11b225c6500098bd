/** Remembers what a start has last waited for: at its deadline that says what helps. */
import type { Journal } from "@moorage/core";

export interface LatestWait {
  readonly journal: Journal;
  /** A condition's code; null: nothing was waited for. */
  latest(): string | null;
}

/** `journal` is told everything. */
export function latestWait(journal: Journal): LatestWait {
  let latest: string | null = null;
  return {
    journal: {
      append(event) {
        if (event.step === "wait") latest = event.code;
        journal.append(event);
      },
    },
    latest: () => latest,
  };
}
