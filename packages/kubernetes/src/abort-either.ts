/** One abort of two: what a caller wants and how long the cluster is open. */
import type { Abort, AbortSource } from "@moorage/core";
import { createAbort } from "@moorage/core";

/** Aborts as soon as either does. Call `abort` in the end, so that both forget it. */
export function abortEither(one: Abort, other: Abort): AbortSource {
  const source = createAbort(one);
  const abort = (): void => {
    other.removeEventListener("abort", abort);
    source.abort();
  };
  if (other.aborted) abort();
  else other.addEventListener("abort", abort);
  return { signal: source.signal, abort };
}
