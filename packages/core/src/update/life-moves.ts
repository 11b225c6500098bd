/** The moves that several events of a life share: refuse, confirm, revert, answer. Each is a new life and what is to be done. */

import { bundleOnItsWay, nonceOf, stepOf } from "./candidate.ts";
import { verdictOn } from "./evaluate-bundle.ts";
import { firstDifference } from "./fingerprint.ts";
import type { Candidate, Confirmed, Life, LifeBundle, Refusal, Revert } from "./life.ts";
import { inUse, lastGood } from "./life.ts";
import type { BundleState, LifeEffect } from "./life-events.ts";
import { noProgress } from "./proof.ts";
import { quarantinedBy, quarantineMs, withQuarantined } from "./quarantine.ts";

type NamedBundle = Parameters<typeof quarantinedBy>[1];
type OnTrial = Extract<Life["use"], { kind: "trial" }>;

/** A life, and what is to be done once it is persisted. */
export interface Moved {
  readonly life: Life;
  readonly effects: readonly LifeEffect[];
}

export function moved(life: Life, ...effects: readonly LifeEffect[]): Moved {
  return { life, effects };
}

/** One move after another. */
export function andThen({ life, effects }: Moved, next: (life: Life) => Moved): Moved {
  const after = next(life);
  return { life: after.life, effects: [...effects, ...after.effects] };
}

export function tell(digest: string, state: BundleState, detail: string | null = null): LifeEffect {
  return { kind: "tell", digest, state, detail };
}

export function bake({ run }: Life, { digest }: LifeBundle): LifeEffect {
  return { kind: "bake", digest, ms: run.bakeMs };
}

/** The answer carries what is in use after the move. */
export function answer(life: Life, digest: string, nonce: string | null, why: Refusal | Revert | null): LifeEffect {
  const verdict = why === null ? "ack" : "nack";
  return { kind: "answer", nonce, digest, verdict, why, inUse: inUse(life)?.catalogHash ?? null };
}

/** Time does not make a bundle fit: that takes another bundle or another build. */
const never = Number.MAX_SAFE_INTEGER;

/** Final for this bundle and this build. What is in use stays. */
export function refuse(life: Life, digest: string, nonce: string | null, why: Refusal, at: number): Moved {
  const { buildId } = life.run;
  const until = why.reason === "incompatible" ? never : at + quarantineMs;
  const entry = { by: "manifest", digest, buildId, until, why } as const;
  const after: Life = { ...life, next: null, quarantine: withQuarantined(life.quarantine, entry, at) };
  return moved(
    after,
    tell(digest, "refused", why.detail),
    { kind: "notice", about: "refused", digest, reason: why.reason, detail: why.detail, withLog: false },
    answer(after, digest, nonce, why),
  );
}

/** What is in use is proven; it is the last known good from here on. */
export function confirm(life: Life, { bundle, proof }: Confirmed, nonce: string | null): Moved {
  const after: Life = { ...life, use: { kind: "confirmed", bundle, proof } };
  const detail = proof === "unproven" ? "unproven" : null;
  return moved(after, tell(bundle.digest, "confirmed", detail), answer(after, bundle.digest, nonce, null));
}

/** On trial from here on; the last known good stays what was last confirmed, and an earlier trial is over without a result. */
export function tryOut(life: Life, bundle: LifeBundle, nonce: string | null, ...effects: readonly LifeEffect[]): Moved {
  // Without a time to live on with it there is nothing to wait for.
  const progress = { ...noProgress, baked: life.run.bakeMs === 0 };
  const use = { kind: "trial", bundle, nonce, lastGood: lastGood(life), progress } as const;
  const earlier = life.use.kind === "trial" ? [tell(life.use.bundle.digest, "superseded")] : [];
  const after: Life = { ...life, use, next: null };
  return moved(after, ...earlier, tell(bundle.digest, "trial"), ...effects, bake(life, bundle));
}

/** Whether it is for the runtime of this build. */
export function fits({ run }: Life, bundle: LifeBundle): boolean {
  return firstDifference(bundle.target, run.target) === null;
}

/** Why this build may not use it, or null: it is for another runtime, or its content failed here. */
export function unfit(life: Life, bundle: LifeBundle, at: number): Refusal | null {
  const verdict = verdictOn(bundle.target, life.run.target);
  if (verdict.tier === "incompatible") {
    const { axis, expected, actual, message } = verdict;
    return { reason: "incompatible", detail: message, axis, expected, actual };
  }
  return heldBack(life, bundle, at);
}

/** Why this build is not to get it again, or null. */
export function heldBack({ run, quarantine }: Life, bundle: NamedBundle, at: number): Refusal | null {
  const held = quarantinedBy(quarantine, bundle, run.buildId, at);
  return held === null ? null : failedBefore(held.why);
}

function failedBefore({ detail }: Refusal | Revert): Refusal {
  return { reason: "quarantined", detail: `its content failed here: ${detail}` };
}

/** Back to what was last confirmed, once. */
export function revert(life: Life, why: Revert, at: number): Moved {
  if (life.use.kind !== "trial") return moved(life);
  const { bundle: failed, lastGood: good } = life.use;
  if (good === null || !fits(life, good.bundle)) return endWithout(life, life.use, why);
  const { digest, catalogHash } = failed;
  const { buildId } = life.run;
  const entry = { by: "content", digest, catalogHash, buildId, until: at + quarantineMs, why } as const;
  const after: Life = {
    ...life,
    quarantine: withQuarantined(life.quarantine, entry, at),
    use: { kind: "returning", lastGood: good, failed, why },
    next: unswitched(life.next),
  };
  const reverted = moved(after, ...failedAs("reverted", after, life.use, why));
  const alone = andThen(reverted, (now) => withoutContent(now, failed, why, at));
  return andThen(alone, (now) => moved(now, ...bringBack(now, good.bundle)));
}

/** What has just failed may be on its way under another name as well: it is refused where it has got to. */
function withoutContent(life: Life, { catalogHash }: LifeBundle, why: Revert, at: number): Moved {
  const { next } = life;
  if (next === null || bundleOnItsWay(next).catalogHash !== catalogHash) return moved(life);
  return refuse(life, bundleOnItsWay(next).digest, nonceOf(stepOf(next)), failedBefore(why), at);
}

/**
 * There is nothing to come back on: a crash ends it, and health and a reload, which never kill, change nothing. It may as well
 * be the build, or what surrounds it, that is broken: the bundle is not held back, or nobody could start the agent again once
 * that is mended.
 */
function endWithout(life: Life, trial: OnTrial, why: Revert): Moved {
  if (why.reason !== "crash") return moved(life);
  const { bundle: failed, lastGood: good } = trial;
  const after: Life = { ...life, use: { kind: "ended", lastGood: good, failed, why }, next: unswitched(life.next) };
  return moved(after, ...failedAs("ended", after, trial, why), { kind: "end" });
}

/** A trial that failed, as everybody is told of it. */
function failedAs(about: "reverted" | "ended", after: Life, { bundle, nonce }: OnTrial, why: Revert): LifeEffect[] {
  const { digest } = bundle;
  const { reason, detail } = why;
  return [
    tell(digest, "reverted", detail),
    { kind: "notice", about, digest, reason, detail, withLog: true },
    answer(after, digest, nonce, why),
  ];
}

/** What was on its way waits for a boundary of the process that is brought back. */
function bringBack(life: Life, bundle: LifeBundle): LifeEffect[] {
  const { next } = life;
  const waiting = next?.state === "staged" ? [{ kind: "awaitBoundary", digest: next.bundle.digest } as const] : [];
  return [{ kind: "bringBack", bundle }, bake(life, bundle), ...waiting];
}

/** Whatever a switch had got to, it is undone by what is live from here on. */
function unswitched(next: Candidate | null): Candidate | null {
  return next?.state === "staged" ? { ...next, switching: false } : next;
}
