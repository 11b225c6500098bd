/** May this build use this bundle? Data against build: the target has to equal the build's format axes, and nothing else counts. */
import { checkCatalogName } from "./catalog-hash.ts";
import type { Axis, Fingerprint, RuntimeTarget } from "./fingerprint.ts";
import { axisWords, checkFingerprint, checkTarget, firstDifference } from "./fingerprint.ts";
import { FingerprintError } from "./fingerprint-error.ts";

/** What of a bundle takes part. */
export interface BundleTarget {
  /** The runtime that it was authored for. */
  readonly target: RuntimeTarget;
  readonly catalogHash: string;
}

/** A refusal: the first axis that differs, with the bundle's value and the build's. */
export type Incompatible = {
  readonly [A in Axis]: {
    readonly tier: "incompatible";
    readonly axis: A;
    readonly expected: RuntimeTarget[A];
    readonly actual: RuntimeTarget[A];
    /** One sentence for people: the axis in words, without the values. */
    readonly message: string;
  };
}[Axis];

export type BundleVerdict = { readonly tier: "hot" } | Incompatible;

/** The payload plays no part: a bundle equal to the catalog in use is hot as well. Throws a `FingerprintError`. */
export function evaluateBundle(bundle: BundleTarget, running: Fingerprint): BundleVerdict {
  checkBundle(bundle);
  checkFingerprint(running, bundle.target);
  return verdictOn(bundle.target, running);
}

/** Throws a `FingerprintError` unless target and payload are well-formed. */
export function checkBundle(bundle: BundleTarget): void {
  if (typeof bundle !== "object" || bundle === null) throw FingerprintError.notAnObject(bundle, "a bundle");
  checkTarget(bundle.target);
  checkCatalogName(bundle.catalogHash);
}

const hot: BundleVerdict = { tier: "hot" };

/** Both have been checked. */
export function verdictOn(target: RuntimeTarget, running: RuntimeTarget): BundleVerdict {
  const axis = firstDifference(target, running);
  return axis === null ? hot : refusal(axis, target, running);
}

function refusal(axis: Axis, target: RuntimeTarget, running: RuntimeTarget): Incompatible {
  return {
    tier: "incompatible",
    axis,
    expected: target[axis],
    actual: running[axis],
    message: `the ${axisWords[axis]} of the running build differs from the target the bundle was built for`,
  } as Incompatible;
}
