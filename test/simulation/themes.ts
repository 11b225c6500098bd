/** Meetings that chance alone brings about too seldom: each theme puts the parts of one in each other's way. */
import type { Chance } from "./chance.ts";
import { ending } from "./evidence.ts";
import { healthy } from "./fate.ts";
import type { StartStep, Step, StopStep } from "./history.ts";

export interface Theme {
  readonly steps: readonly Step[];
  /** How many of the requests something goes wrong with. */
  readonly rate: number;
}

export function randomTheme(chance: Chance): Theme {
  return chance.pick([twinWhileCreating, removedWhileWaiting, replacedWhileSettling, stoppedBetweenTwoSends])(chance);
}

/** The outcome of a create is unknown, and a live duplicate has appeared when the call looks. */
function twinWhileCreating(chance: Chance): Theme {
  const at = chance.between(5, 3_000);
  const steps: Step[] = [start(0, 0), { kind: "world", at, agent: 0, event: { kind: "plant", what: "duplicate" } }];
  return { steps, rate: 0.4 };
}

/** While one call waits for a removal, another creates, and its instance is taken away by force. */
function removedWhileWaiting(chance: Chance): Theme {
  const graceMs = chance.pick([400, 4_000]);
  const steps: Step[] = [
    { kind: "fate", nth: 0, fate: { ...healthy, graceMs, exit: { afterMs: 50, ending: ending("exited", 1) } } },
    start(0, 0),
    start(1, chance.between(1_000, 2_500)),
    start(2, chance.between(1_000, 2_500)),
  ];
  for (let left = chance.between(2, 5); left > 0; left -= 1)
    steps.push({ kind: "world", at: chance.between(1_500, 9_000), agent: 0, event: { kind: "forceRemove" } });
  if (chance.chance(0.5)) steps.push(gap(chance, chance.between(1, 2), 1_000, 4_000));
  return { steps, rate: chance.pick([0.2, 0.6]) };
}

/** What one call has just started is replaced before its settle is over, while its watch is blind. */
function replacedWhileSettling(chance: Chance): Theme {
  const removal = chance.chance(0.5) ? "forceRemove" : "deleteByHand";
  const steps: Step[] = [
    { ...start(0, 0), settleMs: 2_000 },
    { kind: "world", at: chance.between(500, 2_500), agent: 0, event: { kind: removal } },
    start(1, chance.between(600, 3_500)),
  ];
  if (chance.chance(0.7)) steps.push(gap(chance, 0, 350, 1_500));
  return { steps, rate: chance.pick([0, 0.1, 0.3]) };
}

/** A create is sent twice, and a stop ends what the first send has made in between. */
function stoppedBetweenTwoSends(chance: Chance): Theme {
  const steps: Step[] = [start(0, 0), stop(1, chance.between(300, 12_000)), stop(2, chance.between(300, 20_000))];
  return { steps, rate: 0.45 };
}

function start(caller: number, at: number): StartStep {
  const common = { at, caller, agent: 0, deadlineMs: 600_000, crash: null };
  return { kind: "start", ...common, variant: 0, settleMs: 0, scheme: "m1" };
}

function stop(caller: number, at: number): StopStep {
  return { kind: "stop", at, caller, agent: 0, deadlineMs: 600_000, crash: null };
}

function gap(chance: Chance, caller: number, least: number, most: number): Step {
  return { kind: "gap", at: chance.between(least, most), caller, ms: chance.pick([2_000, 20_000, 8 * 3_600_000]) };
}
