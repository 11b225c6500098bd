/** Time as the loops see it: monotonic, in milliseconds, stoppable. */

import type { Abort } from "./abort.ts";

export interface Clock {
  /** Milliseconds on a clock that never steps and does not count the time in which the machine slept. */
  now(): number;
  /** Resolves after `ms` milliseconds, or as soon as the signal aborts: it never rejects. */
  sleep(ms: number, signal?: Abort): Promise<void>;
}
