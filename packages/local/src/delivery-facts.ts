/** What people want to know of an agent's life with bundles: plain, out of the life as it is on record. */
import type {
  BundleCandidate,
  BundleRefusal,
  BundleRevert,
  CatalogMoment,
  CatalogUse,
  Channel,
  DeferCause,
  Life,
  Quarantined,
  TakesPart,
} from "@moorage/core";
import { bundleOnItsWay, catalogMoment, lastGood, retryAfterMs } from "@moorage/core";

export interface BundleFacts {
  readonly sequence: number;
  readonly catalogHash: string;
  /** Of its manifest. */
  readonly digest: string;
}

/** How good what it runs on is: `ended` stays ended but for a start, `none` has no catalog yet. */
export type UseState = CatalogUse["kind"];

export interface TrialFacts {
  readonly turns: number;
  /** How many it takes; 0 for who tells none. */
  readonly turnsWanted: number;
  /** Whether it has lived for the bake time. */
  readonly baked: boolean;
}

/** A bundle on its way. */
export interface NextFacts extends BundleFacts {
  readonly state: "offered" | "fetched" | "verified" | "staged" | "deferred";
  /** Why it is put off, and until when at the latest it is tried again (ISO 8601); null: it is not put off. */
  readonly deferred: { readonly cause: DeferCause; readonly until: string; readonly tries: number } | null;
  /** What it waits for once it is staged; null before. */
  readonly waitsFor: CatalogMoment | null;
}

/** What was refused or taken back here, and is not used again under this build. */
export interface HeldBackFacts {
  readonly digest: string;
  /** Null where it is known by its manifest alone. */
  readonly catalogHash: string | null;
  readonly buildId: string;
  readonly reason: BundleRefusal["reason"] | BundleRevert["reason"];
  readonly detail: string;
  /** Of a refusal for another format. */
  readonly axis: { readonly name: string; readonly expected: string; readonly actual: string } | null;
  /** ISO 8601; null: until another build. */
  readonly until: string | null;
}

export interface DeliveryFacts {
  readonly channel: Channel;
  readonly takesPart: TakesPart;
  /** The highest sequence that was accepted here: nothing below it is. */
  readonly floor: number;
  readonly state: UseState;
  readonly inUse: BundleFacts | null;
  /** Whether it only ever lived for the bake time. */
  readonly unproven: boolean;
  /** While it is on trial. */
  readonly trial: TrialFacts | null;
  /** What it falls back on. */
  readonly lastGood: BundleFacts | null;
  /** What brought it back, or ended it. */
  readonly failed: (BundleFacts & { readonly reason: BundleRevert["reason"]; readonly detail: string }) | null;
  readonly next: NextFacts | null;
  readonly heldBack: readonly HeldBackFacts[];
}

/** `writtenAt`: when the life was put on record, `at`: now, both in milliseconds since 1970. */
export function deliveryFacts(life: Life, writtenAt: number, at: number): DeliveryFacts {
  const { use, next, run } = life;
  const good = lastGood(life);
  return {
    channel: life.channel,
    takesPart: run.takesPart,
    floor: life.floor.sequence,
    state: use.kind,
    inUse: usedOf(use),
    unproven: use.kind === "confirmed" && use.proof === "unproven",
    trial: use.kind === "trial" ? trialOf(life, use.progress) : null,
    lastGood: good === null ? null : bundleFacts(good.bundle),
    failed:
      use.kind === "returning" || use.kind === "ended"
        ? { ...bundleFacts(use.failed), reason: use.why.reason, detail: use.why.detail }
        : null,
    next: next === null ? null : nextOf(next, run.takesPart, writtenAt),
    heldBack: life.quarantine.filter(({ until, buildId }) => at < until && buildId === run.buildId).map(heldBackOf),
  };
}

function bundleFacts({ sequence, catalogHash, digest }: BundleFacts): BundleFacts {
  return { sequence, catalogHash, digest };
}

function usedOf(use: CatalogUse): BundleFacts | null {
  switch (use.kind) {
    case "none":
    case "ended":
      return null;
    case "confirmed":
    case "trial":
      return bundleFacts(use.bundle);
    case "returning":
      return bundleFacts(use.lastGood.bundle);
    default:
      return use satisfies never;
  }
}

function trialOf({ run }: Life, { turns, baked }: { readonly turns: number; readonly baked: boolean }): TrialFacts {
  return { turns, turnsWanted: run.takesPart === "socket" ? run.turns : 0, baked };
}

function nextOf(next: BundleCandidate, takesPart: TakesPart, writtenAt: number): NextFacts {
  return {
    ...bundleFacts(bundleOnItsWay(next)),
    state: next.state,
    deferred:
      next.state === "deferred"
        ? { cause: next.cause, until: isoTime(writtenAt + retryAfterMs(next.from.tries)), tries: next.from.tries }
        : null,
    waitsFor: next.state === "staged" ? catalogMoment(takesPart, next.takesEffect) : null,
  };
}

function heldBackOf(held: Quarantined): HeldBackFacts {
  const { digest, buildId, why } = held;
  const hasAxis = "axis" in why && why.axis !== undefined;
  return {
    digest,
    catalogHash: held.by === "content" ? held.catalogHash : null,
    buildId,
    reason: why.reason,
    detail: why.detail,
    axis: hasAxis ? { name: why.axis, expected: String(why.expected), actual: String(why.actual) } : null,
    until: held.until > latestTime ? null : isoTime(held.until),
  };
}

/** The last moment that ISO 8601 writes as a date; what is held back for longer is so until another build comes. */
const latestTime = 8.64e15;

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
