/** What an update would do to each agent of a fleet: a part for the release and one for the bundle. It changes nothing. */
import { isSameCatalog } from "./catalog-hash.ts";
import type { BundleTarget, Incompatible } from "./evaluate-bundle.ts";
import { checkBundle, verdictOn } from "./evaluate-bundle.ts";
import type { Axis, Fingerprint, RuntimeTarget } from "./fingerprint.ts";
import { checkFingerprint, checkTarget, differences, firstDifference } from "./fingerprint.ts";
import type { BuildPart, CatalogMoment, CatalogPart, Effect, When } from "./plan-words.ts";
import { inWords } from "./plan-words.ts";

/** How an agent takes part: through the socket, by files and a signal, or not at all. */
export type TakesPart = "socket" | "files" | "nothing";

/** When a change to a catalog takes effect: the latest rule among the components that changed. */
export type TakesEffect = "turn" | "start";

/** A build that is available. Its formats alone are compared: a release never moves the catalog. */
export interface Release {
  readonly buildId: string;
  readonly target: RuntimeTarget;
}

/** A bundle that is published: the newest of its channel. */
export interface PublishedBundle extends BundleTarget {
  readonly sequence: number;
  /** Of its manifest. */
  readonly digest: string;
}

export interface RunningBuild {
  readonly buildId: string;
  /** With the catalog hash in use. */
  readonly fingerprint: Fingerprint;
}

/** One agent as it was seen. */
export interface PlannedAgent {
  readonly agent: string;
  readonly running: RunningBuild;
  readonly takesPart: TakesPart;
  /** Of the published bundle against the catalog in use. */
  readonly takesEffect: TakesEffect;
  /** The published bundle failed here under this build, and nothing has lifted that. */
  readonly quarantined: boolean;
  /** The build that a start would use now; null: nobody knows. */
  readonly release: Release | null;
  /** The newest bundle of its channel; null: there is none. */
  readonly bundle: PublishedBundle | null;
  /** Moves whenever anything moves that a plan goes by: the instance, its build, the catalog in use, the quarantine. */
  readonly version: string;
}

/** All that a plan is made from. */
export interface FleetObservation {
  readonly fleet: string;
  /** Of the fleet: moves with every cold move. */
  readonly epoch: number;
  readonly agents: readonly PlannedAgent[];
}

export interface ReleasePart {
  readonly tier: "none" | "warm" | "cold";
  /** The format axes that differ: empty unless cold. */
  readonly axes: readonly Axis[];
}

export type BundlePart = { readonly tier: "none" } | { readonly tier: "hot" } | Omit<Incompatible, "message">;

export interface AgentPlan {
  readonly agent: string;
  readonly running: RunningBuild;
  readonly release: ReleasePart;
  readonly bundle: BundlePart;
  readonly effect: Effect;
  readonly when: When;
}

/** The versions that a plan was made from. */
export interface Observed {
  readonly epoch: number;
  readonly agents: readonly ObservedAgent[];
}

export interface ObservedAgent {
  readonly agent: string;
  readonly version: string;
  /** Its build id. */
  readonly release: string | null;
  /** Its digest. */
  readonly bundle: string | null;
}

export interface UpdatePlan {
  readonly fleet: string;
  readonly agents: readonly AgentPlan[];
  readonly observed: Observed;
}

/** Throws a `FingerprintError` for a fingerprint, target or hash that is malformed, and hashes of two algorithms. */
export function planUpdate(observation: FleetObservation): UpdatePlan {
  const { fleet, agents } = observation;
  checkAll(agents);
  return { fleet, agents: agents.map(planAgent), observed: observedIn(observation) };
}

/** What agents have in common is looked at once: most of a fleet has one release, one bundle, and runs on what is available. */
function checkAll(agents: readonly PlannedAgent[]): void {
  const looked = new Set<Release | PublishedBundle>();
  let sound: Partial<Fingerprint> = {};
  for (const { release, bundle, running } of agents) {
    if (release !== null && !looked.has(release)) {
      checkTarget(release.target);
      looked.add(release);
      sound = { ...sound, ...release.target };
    }
    if (bundle !== null && !looked.has(bundle)) {
      checkBundle(bundle);
      looked.add(bundle);
      sound = { ...sound, ...bundle.target };
    }
    checkFingerprint(running.fingerprint, sound);
  }
}

/** True as long as nothing moved that the plan was made from: else plan again. */
export function isStillTrue(plan: UpdatePlan, now: FleetObservation): boolean {
  return whatMoved(plan, now).length === 0;
}

/** What of the observation moved since, by name: the epoch, and agents with what is available to them. */
export function whatMoved({ observed }: UpdatePlan, now: FleetObservation): string[] {
  const seen = observedIn(now);
  const moved = observed.epoch === seen.epoch ? [] : ["epoch"];
  const before = new Map(observed.agents.map((one) => [one.agent, one]));
  for (const { agent, version, release, bundle } of seen.agents) {
    const then = before.get(agent);
    if (then?.version !== version || then.release !== release || then.bundle !== bundle) moved.push(agent);
    before.delete(agent);
  }
  return [...moved, ...before.keys()];
}

function observedIn({ epoch, agents }: FleetObservation): Observed {
  return {
    epoch,
    agents: agents.map(({ agent, version, release, bundle }) => ({
      agent,
      version,
      release: release?.buildId ?? null,
      bundle: bundle?.digest ?? null,
    })),
  };
}

const noBundle: BundlePart = { tier: "none" };
const hotBundle: BundlePart = { tier: "hot" };
const noRelease: ReleasePart = { tier: "none", axes: [] };
const warmRelease: ReleasePart = { tier: "warm", axes: [] };

function planAgent(one: PlannedAgent): AgentPlan {
  const { agent, running, release, bundle } = one;
  const releasePart = partOfRelease(running, release);
  const bundlePart = partOfBundle(running, bundle);
  const pair =
    bundlePart.tier === "incompatible" &&
    releasePart.tier === "cold" &&
    release !== null &&
    bundle !== null &&
    firstDifference(bundle.target, release.target) === null;
  const words = inWords(pair ? null : catalogWords(one, bundlePart), buildWords(releasePart, pair));
  return { agent, running, release: releasePart, bundle: bundlePart, effect: words.effect, when: words.when };
}

/** A format that moved dominates; the build id tells the rest apart and never takes part in compatibility. */
function partOfRelease({ buildId, fingerprint }: RunningBuild, release: Release | null): ReleasePart {
  if (release === null) return noRelease;
  if (firstDifference(fingerprint, release.target) !== null)
    return { tier: "cold", axes: differences(fingerprint, release.target) };
  return buildId === release.buildId ? noRelease : warmRelease;
}

function partOfBundle({ fingerprint }: RunningBuild, bundle: PublishedBundle | null): BundlePart {
  if (bundle === null) return noBundle;
  const verdict = verdictOn(bundle.target, fingerprint);
  if (verdict.tier === "incompatible") {
    const { message: _, ...part } = verdict;
    return part;
  }
  return isSameCatalog(fingerprint.toolCatalogHash, bundle.catalogHash) ? noBundle : hotBundle;
}

function catalogWords(one: PlannedAgent, { tier }: BundlePart): CatalogPart | null {
  switch (tier) {
    case "none":
      return null;
    case "hot":
      return one.quarantined
        ? { effect: "bundle held back", when: "after a retry" }
        : { effect: "new catalog", when: catalogMoment(one.takesPart, one.takesEffect) };
    case "incompatible":
      return { effect: "bundle refused", when: "never" };
    default:
      return tier satisfies never;
  }
}

/** When a bundle that fits takes effect. Who takes no part reads the catalog at start alone. */
export function catalogMoment(takesPart: TakesPart, takesEffect: TakesEffect): CatalogMoment {
  if (takesPart === "nothing" || takesEffect === "start") return "next start";
  return takesPart === "socket" ? "next turn" : "now, by a signal";
}

function buildWords({ tier }: ReleasePart, pair: boolean): BuildPart | null {
  switch (tier) {
    case "none":
      return null;
    case "warm":
      return { effect: "new build", when: "next start" };
    case "cold":
      return { effect: pair ? "whole fleet moves, with the bundle" : "whole fleet moves", when: "after approval" };
    default:
      return tier satisfies never;
  }
}
