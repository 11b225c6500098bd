// Measures functions of this process with tinybench, one right after the other.
import { Bench } from "tinybench";

/** The median milliseconds of one run of each function, in the order given; about `ms` milliseconds are spent on each. */
export function medianMs(ms: number, work: readonly (() => void)[]): number[] {
  const bench = new Bench({ time: ms, warmupTime: ms / 4 });
  for (const [at, each] of work.entries()) bench.add(String(at), each);
  return bench.runSync().map(({ name, result }) => {
    if (result.state !== "completed") throw new Error(`function ${name} was not measured: ${result.state}`);
    return result.latency.p50;
  });
}
