/** A bundle on its way into use: offered, fetched, verified, staged, put off; refused or superseded. */
import { digestOf, nonceOf } from "./candidate.ts";
import { judgeManifest, orderTexts } from "./channel.ts";
import type { Candidate, DeferCause, Life, LifeBundle, Refusal, Run, Step } from "./life.ts";
import { inUse } from "./life.ts";
import type { LifeEffect, LifeEvent } from "./life-events.ts";
import type { Moved } from "./life-moves.ts";
import { answer, bake, confirm, moved, refuse, tell, tryOut, unfit } from "./life-moves.ts";
import { catalogMoment } from "./plan.ts";
import { notNowAtMost, retryAfterMs } from "./put-off.ts";
import { quarantinedBy } from "./quarantine.ts";

type Told<K extends LifeEvent["kind"]> = Extract<LifeEvent, { kind: K }>;

/** The newest offer wins; what failed here is answered at once and not fetched again. */
export function offered(life: Life, { offer, at }: Told<"offered">): Moved {
  const { digest, nonce } = offer;
  const { use, next, floor } = life;
  if (use.kind === "trial" && use.bundle.digest === digest) return moved({ ...life, use: { ...use, nonce } });
  if ((use.kind === "confirmed" || use.kind === "returning") && inUse(life)?.digest === digest)
    return moved(life, answer(life, digest, nonce, null));
  if (next !== null && digestOf(next) === digest) return moved({ ...life, next: withNonce(next, nonce) });
  const held = quarantinedBy(life.quarantine, offer, life.run.buildId, at);
  if (held !== null) return moved(life, answer(life, digest, nonce, held.why));
  if (offer.sequence < floor.sequence) {
    const why: Refusal = { reason: "rollback", detail: orderTexts.rollback };
    return moved(life, answer(life, digest, nonce, why));
  }
  // The rename may have happened: first it is told, then the newest is asked for again.
  if (next?.state === "staged" && next.switching) return moved(life);
  const superseded = next === null ? [] : [tell(digestOf(next), "superseded")];
  const step: Step = { state: "offered", offer, tries: 0 };
  return moved({ ...life, next: step }, ...superseded, tell(digest, "offered"), ...todo(life, step));
}

export function fetched(life: Life, { digest }: Told<"fetched">): Moved {
  const { next } = life;
  if (next?.state !== "offered" || next.offer.digest !== digest) return moved(life);
  const step: Step = { state: "fetched", offer: next.offer, tries: 0 };
  return moved({ ...life, next: step }, tell(digest, "fetched"), ...todo(life, step));
}

/** The signatures were good: order, runtime and what failed here decide. */
export function checked(life: Life, { manifest, takesEffect, at }: Told<"checked">): Moved {
  const { next } = life;
  if (next?.state !== "fetched" || next.offer.digest !== manifest.digest) return moved(life);
  const { offer } = next;
  const { digest, catalogHash, sequence, target } = manifest;
  const refused = (why: Refusal): Moved => refuse(life, digest, offer.nonce, why, at);
  if (catalogHash !== offer.catalogHash || sequence !== offer.sequence)
    return refused({ reason: "notAsOffered", detail: "its signed manifest is not what was offered" });
  const order = judgeManifest(life.channel, life.floor, manifest, at);
  if (order.kind === "refuse") return refused({ reason: order.fault, detail: orderTexts[order.fault] });
  const bundle: LifeBundle = { digest, catalogHash, sequence, target };
  const why = unfit(life, bundle, at);
  if (why !== null) return refused(why);
  const accepted: Life = order.kind === "accept" ? { ...life, floor: order.floor } : life;
  if (inUse(life)?.catalogHash === catalogHash && life.use.kind !== "ended")
    return sameContent({ ...accepted, next: null }, bundle, offer.nonce);
  const step: Step = { state: "verified", bundle, nonce: offer.nonce, takesEffect, tries: 0 };
  return moved({ ...accepted, next: step }, tell(digest, "verified"), ...todo(life, step));
}

/** The same hash under a new sequence: what was proven stays proven, a trial goes on under the new name. */
function sameContent(life: Life, bundle: LifeBundle, nonce: string): Moved {
  const { use } = life;
  switch (use.kind) {
    case "confirmed":
      return confirm(life, { bundle, proof: use.proof }, nonce);
    case "returning": {
      const after: Life = { ...life, use: { ...use, lastGood: { ...use.lastGood, bundle } } };
      return moved(
        after,
        tell(bundle.digest, "confirmed"),
        answer(after, bundle.digest, nonce, null),
        bake(life, bundle),
      );
    }
    case "trial": {
      const after: Life = { ...life, use: { ...use, bundle, nonce, progress: { ...use.progress, baked: false } } };
      return moved(after, tell(use.bundle.digest, "superseded"), tell(bundle.digest, "trial"), bake(life, bundle));
    }
    case "none":
    case "ended":
      return moved(life);
    default:
      return use satisfies never;
  }
}

export function rejected(life: Life, { digest, reason, detail, at }: Told<"rejected">): Moved {
  const step = workingOn(life, digest);
  if (step === null || step.state === "staged") return moved(life);
  return refuse(life, digest, nonceOf(step), { reason, detail }, at);
}

export function staged(life: Life, { digest }: Told<"staged">): Moved {
  const { next } = life;
  if (next?.state !== "verified" || next.bundle.digest !== digest) return moved(life);
  const step: Step = { ...next, state: "staged", tries: 0, switching: false, refusedTurns: 0 };
  return moved({ ...life, next: step }, tell(digest, "staged"), ...todo(life, step));
}

export function failed(life: Life, { digest, cause }: Told<"failed">): Moved {
  const step = workingOn(life, digest);
  // Staged and waiting, there is nothing that could fail.
  if (step === null || (step.state === "staged" && !step.switching)) return moved(life);
  if (step.state !== "staged") return putOff(life, { ...step, tries: step.tries + 1 }, cause);
  const later = putOff(life, { ...step, tries: step.tries + 1, switching: false }, cause);
  return moved(later.life, ...later.effects, { kind: "ask" });
}

/** A word of the agent's: bounded, then a person is told; it is never overruled. */
export function notNow(life: Life, { digest }: Told<"notNow">): Moved {
  const step = workingOn(life, digest);
  if (step?.state !== "staged" || step.switching) return moved(life);
  const refusedTurns = step.refusedTurns + 1;
  const later = putOff(life, { ...step, refusedTurns, tries: refusedTurns }, "notNow");
  if (refusedTurns !== notNowAtMost) return later;
  const detail = `the agent has put it off ${notNowAtMost} times`;
  const notice = { kind: "notice", about: "notNow", digest, reason: "notNow", detail, withLog: false } as const;
  return moved(later.life, ...later.effects, notice);
}

function putOff(life: Life, from: Step, cause: DeferCause): Moved {
  const digest = digestOf(from);
  const ms = retryAfterMs(from.tries);
  const next: Candidate = { state: "deferred", cause, from };
  return moved({ ...life, next }, tell(digest, "deferred", cause), { kind: "retryAfter", digest, ms });
}

/** Goes on from where it was. */
export function due(life: Life, { digest }: Pick<Told<"due">, "digest">): Moved {
  const { next } = life;
  if (next?.state !== "deferred" || digestOf(next) !== digest) return moved(life);
  return moved({ ...life, next: next.from }, tell(digest, next.from.state), ...todo(life, next.from));
}

/** The boundary of a turn, or any moment of an agent that makes no claim about turns: what waits for it is switched to. */
export function boundary(life: Life): Moved {
  const { next, run } = life;
  if (next?.state !== "staged" || next.switching || waitsForStart(run, next)) return moved(life);
  const step: Step = { ...next, switching: true };
  return moved({ ...life, next: step }, ...todo(life, step));
}

export function switched(life: Life, { digest }: Told<"switched">): Moved {
  const { next } = life;
  if (next?.state !== "staged" || !next.switching || next.bundle.digest !== digest) return moved(life);
  return tryOut(life, next.bundle, next.nonce, { kind: "announce", digest }, { kind: "ask" });
}

/** What a bundle on its way needs done; told again after a crash, and harmless twice. */
export function todo({ run }: Life, next: Candidate): LifeEffect[] {
  const digest = digestOf(next);
  switch (next.state) {
    case "offered":
      return [{ kind: "fetch", digest }];
    case "fetched":
      return [{ kind: "check", digest }];
    case "verified":
      return [{ kind: "stage", digest }];
    case "staged":
      if (next.switching) return [{ kind: "switch", digest }];
      return waitsForStart(run, next) ? [] : [{ kind: "awaitBoundary", digest }];
    case "deferred":
      return [{ kind: "retryAfter", digest, ms: retryAfterMs(next.from.tries) }];
    default:
      return next satisfies never;
  }
}

/** As a plan says it: who takes no part, and a change that takes effect at a start, wait for a start. */
function waitsForStart({ takesPart }: Run, { takesEffect }: Extract<Step, { state: "staged" }>): boolean {
  return catalogMoment(takesPart, takesEffect) === "next start";
}

function withNonce(next: Candidate, nonce: string): Candidate {
  if (next.state === "deferred") return { ...next, from: stepWithNonce(next.from, nonce) };
  return stepWithNonce(next, nonce);
}

function stepWithNonce(step: Step, nonce: string): Step {
  return "offer" in step ? { ...step, offer: { ...step.offer, nonce } } : { ...step, nonce };
}

/** The step that is being worked on for this bundle, or null: it is put off, or another bundle is on its way. */
function workingOn({ next }: Life, digest: string): Step | null {
  return next === null || next.state === "deferred" || digestOf(next) !== digest ? null : next;
}
