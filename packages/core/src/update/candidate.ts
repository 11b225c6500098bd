/** A bundle on its way, wherever it has got to: its names and the step that it is in. */
import type { Candidate, LifeBundle, Step } from "./life.ts";

/** Where it is on its way, put off or not. */
export function stepOf(next: Candidate): Step {
  return next.state === "deferred" ? next.from : next;
}

/** What is known of it from its offer on. */
export function bundleOnItsWay(next: Candidate): Pick<LifeBundle, "digest" | "catalogHash" | "sequence"> {
  const step = stepOf(next);
  return "offer" in step ? step.offer : step.bundle;
}

export function digestOf(next: Candidate): string {
  return bundleOnItsWay(next).digest;
}

export function nonceOf(step: Step): string {
  return "offer" in step ? step.offer.nonce : step.nonce;
}
