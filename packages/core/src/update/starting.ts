/** What a start runs on: a staged bundle, what is in use, or what the channel assigns. Nothing is ever run on another runtime's bundle. */

import { digestOf, nonceOf, stepOf } from "./candidate.ts";
import type { Floor } from "./channel.ts";
import { firstDifference } from "./fingerprint.ts";
import type { Confirmed, Life, LifeBundle, Refusal, Run, Use } from "./life.ts";
import { lastGood } from "./life.ts";
import type { Assigned, LifeEffect, LifeEvent } from "./life-events.ts";
import type { Moved } from "./life-moves.ts";
import { andThen, answer, bake, fits, heldBack, moved, refuse, tryOut, unfit } from "./life-moves.ts";
import { todo } from "./on-its-way.ts";
import type { Quarantined } from "./quarantine.ts";

type Trial = Extract<Use, { kind: "trial" }>;

/**
 * The life under the build that is about to be started: what is offered before that is weighed for it, so that the start is the
 * boundary for it. What starts then is told by `starting`.
 */
export function withRun(life: Life, run: Run): Life {
  // The very same build may be declared for other formats than before: what did not fit them says nothing any more.
  const otherFormats = firstDifference(life.run.target, run.target) !== null;
  // A new instance may trust another root, and only a look at the signatures tells.
  const says = (reason: Quarantined["why"]["reason"]): boolean =>
    reason !== "signature" && !(otherFormats && reason === "incompatible");
  return { ...life, run, quarantine: life.quarantine.filter(({ why }) => says(why.reason)) };
}

/** Nothing runs. A trial that was under way goes on; another build lifts what failed under the last one. */
export function starting(life: Life, { run, assigned, at }: Extract<LifeEvent, { kind: "starting" }>): Moved {
  const begun: Life = { ...withRun(life, run), floor: atLeast(life.floor, assigned?.bundle) };
  return andThen(weighNext(begun, at), (sound) => andThen(launchOn(sound, assigned, at), resumeNext));
}

/** A new instance knows what its channel has got to, even if it never saw the bundles before. */
function atLeast(floor: Floor, bundle: LifeBundle | undefined): Floor {
  return bundle === undefined || bundle.sequence <= floor.sequence
    ? floor
    : { ...floor, sequence: bundle.sequence, digest: bundle.digest };
}

/** What was on its way under an earlier build is weighed again under this one. */
function weighNext(life: Life, at: number): Moved {
  const { next } = life;
  if (next === null) return moved(life);
  const step = stepOf(next);
  const why = "bundle" in step ? unfit(life, step.bundle, at) : heldBack(life, step.offer, at);
  return why === null ? moved(life) : refuse(life, digestOf(next), nonceOf(step), why, at);
}

function launchOn(life: Life, assigned: Assigned | null, at: number): Moved {
  const { next, use } = life;
  const step = next === null ? null : stepOf(next);
  // A start is a boundary like that of a turn, and the only one for some.
  if (step?.state === "staged") {
    // What was offered while a switch could not be told has not been heard.
    const unheard: readonly LifeEffect[] = step.switching ? [{ kind: "ask" }] : [];
    return tryOut(life, step.bundle, step.nonce, launch(step.bundle), ...unheard);
  }
  switch (use.kind) {
    case "trial": {
      const why = unfit(life, use.bundle, at);
      return why === null ? goOn(life, use) : instead(life, use, why, assigned, at);
    }
    case "confirmed":
    case "returning":
    case "ended":
    case "none":
      return onLastGood(life, assigned, at);
    default:
      return use satisfies never;
  }
}

/** What was last confirmed, unless there is none or it is nothing for this build. */
function onLastGood(life: Life, assigned: Assigned | null, at: number): Moved {
  const good = lastGood(life);
  return good !== null && fits(life, good.bundle) ? onGood(life, good) : onAssigned(life, assigned, at);
}

/** The trial proved nothing yet; turns that it completed count, the time of the process that is gone does not. */
function goOn(life: Life, use: Trial): Moved {
  const progress = { ...use.progress, baked: false };
  const { bundle } = use;
  return moved({ ...life, use: { ...use, progress } }, launch(bundle), bake(life, bundle));
}

/** The bundle on trial is nothing for this build. */
function instead(life: Life, use: Trial, why: Refusal, assigned: Assigned | null, at: number): Moved {
  const { next } = life;
  const good = lastGood(life);
  const before: Life = { ...life, use: good === null ? { kind: "none" } : { kind: "confirmed", ...good } };
  return andThen(refuse(before, use.bundle.digest, use.nonce, why, at), (refused) =>
    onLastGood({ ...refused, next }, assigned, at),
  );
}

function onGood(life: Life, good: Confirmed): Moved {
  const { use } = life;
  // Brought back and then stopped: it has still not lived for the bake time.
  if (use.kind === "returning") return moved(life, launch(good.bundle), bake(life, good.bundle));
  return moved({ ...life, use: { kind: "confirmed", ...good } }, launch(good.bundle));
}

function onAssigned(life: Life, assigned: Assigned | null, at: number): Moved {
  const good = lastGood(life);
  if (assigned === null) {
    if (good === null && life.use.kind === "none") return moved(life, launch(null));
    const why = (good === null ? null : unfit(life, good.bundle, at)) ?? nothingLeft;
    return moved(life, { kind: "refuseStart", why });
  }
  const { bundle, confirmed } = assigned;
  const why = unfit(life, bundle, at);
  if (why !== null) return moved(life, { kind: "refuseStart", why });
  if (!confirmed) return tryOut(life, bundle, null, launch(bundle));
  const after: Life = { ...life, use: { kind: "confirmed", bundle, proof: "proven" } };
  const { next } = life;
  if (next === null || digestOf(next) !== bundle.digest) return moved(after, launch(bundle));
  // It was on its way here, and has arrived: a bundle is in one state.
  return moved({ ...after, next: null }, answer(after, bundle.digest, nonceOf(stepOf(next)), null), launch(bundle));
}

const nothingLeft: Refusal = { reason: "quarantined", detail: "its only bundle failed here, and none was confirmed" };

/** Whoever fetched, checked or staged is gone: it is told again. */
function resumeNext(life: Life): Moved {
  return life.next === null ? moved(life) : moved(life, ...todo(life, life.next));
}

function launch(bundle: LifeBundle | null): LifeEffect {
  return { kind: "launch", bundle };
}
