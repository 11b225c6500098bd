/** The clock by which an answer is due. Unlike the one of a command it goes on while the machine sleeps, as far as the client's own does. */
import type { Abort, Clock } from "@moorage/core";

export const clientClock: Clock = {
  now: () => Number(process.hrtime.bigint()) / 1e6,
  sleep(ms: number, signal?: Abort): Promise<void> {
    if (signal?.aborted === true || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done);
    });
  },
};
