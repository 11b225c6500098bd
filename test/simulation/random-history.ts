/** Draws a history from a seed: callers that meet, instances with fates, a world that does not stand still, faults. */
import type { PullFailureKind } from "@moorage/core";
import type { Chance } from "./chance.ts";
import { chanceOf } from "./chance.ts";
import { ending } from "./evidence.ts";
import type { Fate, Trouble } from "./fate.ts";
import type { Crash, History, Planted, Step, World } from "./history.ts";
import { randomTheme } from "./themes.ts";

const minuteMs = 60_000;

export function randomHistory(seed: number): History {
  const chance = chanceOf(seed, -1);
  if (chance.chance(0.15)) {
    const { steps, rate } = randomTheme(chance);
    return { seed, scopeExists: chance.chance(0.9), steps, faults: { kind: "drawn", rate } };
  }
  const steps: Step[] = [];
  // What most histories lack makes the others deep: each history leaves out whole kinds of trouble.
  const spread = chance.pick([200, 3_000, 60_000, 15 * minuteMs]);
  const callers = chance.chance(0.04) ? chance.between(16, 48) : chance.between(1, 7);
  const style = {
    crashes: chance.chance(0.4),
    gaps: chance.chance(0.2),
    fates: chance.chance(0.6),
    world: chance.chance(0.75),
  };
  const second = chance.chance(0.1);
  // Some histories begin with something of ours already there, or get it while the first callers are on their way.
  if (chance.chance(0.06)) {
    const what = chance.pick(["duplicate", "endedElsewhere"] as const);
    steps.push({ kind: "world", at: chance.below(Math.min(spread, 3_000)), agent: 0, event: { kind: "plant", what } });
  }
  for (let caller = 0; caller < callers; caller += 1) {
    const agent = second && chance.chance(0.3) ? 1 : 0;
    steps.push(callerStep(chance, caller, agent, chance.below(spread), style.crashes));
    if (style.gaps && chance.chance(0.4))
      steps.push({
        kind: "gap",
        at: chance.below(spread * 2),
        caller,
        ms: chance.pick([500, 20_000, 8 * 60 * minuteMs]),
      });
    if (chance.chance(0.05)) steps.push({ kind: "interrupt", at: chance.below(spread * 2), caller });
  }
  if (style.fates)
    for (let nth = 0; nth < 4; nth += 1)
      if (chance.chance(0.7)) steps.push({ kind: "fate", nth, fate: randomFate(chance) });
  if (style.world) {
    for (let left = chance.between(1, 5); left > 0; left -= 1) {
      const at = chance.below(spread * 2);
      steps.push({ kind: "world", at, agent: second && chance.chance(0.3) ? 1 : 0, event: randomEvent(chance) });
    }
  }
  const rate = chance.pick([0, 0, 0.02, 0.08, 0.25]);
  return { seed, scopeExists: chance.chance(0.85), steps, faults: { kind: "drawn", rate } };
}

function callerStep(chance: Chance, caller: number, agent: number, at: number, crashes: boolean): Step {
  const crash: Crash | null =
    crashes && chance.chance(0.5) ? { operation: chance.below(14), after: chance.chance(0.6) } : null;
  const deadlineMs = chance.pick([0, 3_000, 30_000, 90_000, 600_000, 900_000]);
  const common = { at, caller, agent, deadlineMs, crash };
  const kind = chance.fraction();
  const variant = chance.chance(0.7) ? 0 : chance.between(1, 2);
  if (kind < 0.17) return { kind: "stop", ...common };
  if (kind < 0.23) return { kind: "keep", ...common, variant, untilMs: at + chance.pick([30_000, 10 * minuteMs]) };
  const scheme = chance.chance(0.9) ? "m1" : "m2";
  return { kind: "start", ...common, variant, settleMs: chance.pick([0, 0, 2_000]), scheme };
}

function randomFate(chance: Chance): Fate {
  const code = chance.pick([0, 1, 75, 78, 137]);
  const exits = chance.chance(0.35);
  return {
    scheduleMs: chance.pick([1, 20, 400, 8_000]),
    pullMs: chance.pick([1, 300, 5_000, 45_000]),
    graceMs: chance.pick([1, 400, 10_000, 60_000]),
    sidecar: chance.chance(0.3),
    trouble: randomTrouble(chance),
    exit: exits ? { afterMs: chance.pick([1, 200, 5_000, 2 * minuteMs]), ending: ending("exited", code) } : null,
  };
}

const pullFailures: readonly [PullFailureKind, ...PullFailureKind[]] = [
  "unauthorized",
  "manifestUnknown",
  "archMismatch",
  "neverPull",
];

function randomTrouble(chance: Chance): Trouble {
  const healsAfterMs = chance.chance(0.5) ? chance.pick([200, 5_000, 2 * minuteMs]) : null;
  switch (chance.below(11)) {
    case 0:
      return { kind: "pull", failure: chance.pick(pullFailures), healsAfterMs };
    case 1:
      return { kind: "pull", failure: null, healsAfterMs };
    case 2:
      return { kind: "invalidImage", rejected: chance.chance(0.6) };
    case 3:
      return { kind: "phaseUnknown", healsAfterMs: chance.pick([500, 40_000]) };
    case 4:
      return { kind: "rejected" };
    case 5:
      return { kind: "unclaimed" };
    case 6:
      return { kind: "configError", healsAfterMs: chance.pick([500, 40_000]) };
    default:
      return { kind: "none" };
  }
}

const planted: readonly [Planted, ...Planted[]] = [
  "ourName",
  "ourLabel",
  "halfOfOurMarks",
  "foreignSecret",
  "endedElsewhere",
  "endedElsewhere",
  "duplicate",
];

function randomEvent(chance: Chance): World {
  const ms = chance.pick([50, 2_000, 30_000, 5 * minuteMs]);
  switch (chance.below(20)) {
    case 0:
    case 1:
    case 2:
      return {
        kind: "exit",
        ending: chance.chance(0.3) ? ending("outOfMemory", 137) : ending("exited", chance.pick([0, 1])),
      };
    case 3:
      return { kind: "restartInPlace", ms };
    case 4:
      return { kind: "evict" };
    case 5:
      return { kind: "loseNode", returnsAfterMs: chance.chance(0.5) ? chance.pick([20_000, 10 * minuteMs]) : null };
    case 6:
    case 7:
      return { kind: "forceRemove" };
    case 8:
      return { kind: "deleteByHand" };
    case 9:
    case 10:
      return { kind: "removeSecret" };
    case 11:
      return { kind: "hide", ms };
    case 12:
      return { kind: "touch" };
    case 13:
      return { kind: "finalizer", ms };
    case 14:
    case 15:
      return { kind: "plant", what: chance.pick(planted) };
    case 16:
      return { kind: "compact" };
    case 17:
      return chance.chance(0.5)
        ? { kind: "serverClockStep", ms: chance.pick([-86_400_000, -5_000, 86_400_000]) }
        : { kind: "serverClockAbsent", ms: ms * 10 };
    case 18:
      return { kind: "outage", ms };
    default:
      return { kind: chance.chance(0.6) ? "quota" : "forbidden", ms };
  }
}
