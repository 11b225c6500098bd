/** Draws a fleet's history from a seed: bundles good, bad, slow and broken, a cold move, people, starters that slip, faults. */
import type { Chance } from "../chance.ts";
import { chanceOf } from "../chance.ts";
import type { Crash } from "../history.ts";
import type { AgentNumber, FleetHistory, FleetStep, FleetWorldEvent, Side } from "./fleet-history.ts";

const minuteMs = 60_000;

export function randomFleetHistory(seed: number): FleetHistory {
  const chance = chanceOf(seed, -7);
  // What most histories lack makes the others deep: each leaves out whole kinds of trouble.
  const style = {
    moves: chance.chance(0.7),
    bundles: chance.chance(0.75),
    slips: chance.chance(0.6),
    crashes: chance.chance(0.4),
    world: chance.chance(0.6),
  };
  const spread = chance.pick([5_000, 40_000, 3 * minuteMs]);
  const drawn = new Drawn(chance, style.crashes);
  const { steps } = drawn;
  drawn.publish(0, "good", "old");
  for (const agent of [0, 1] as const) drawn.start(50 + chance.below(400), agent, "old", false);
  const begins = chance.pick([3_000, 15_000]);
  const within = (): number => begins + chance.below(spread);
  if (style.bundles)
    for (let left = chance.between(1, 6); left > 0; left -= 1)
      drawn.publish(within(), chance.pick(["good", "good", "bad", "slow", "broken"] as const), drawn.side(0.8));
  if (style.moves) {
    if (chance.chance(0.7)) drawn.publish(begins - 500, "good", "new");
    drawn.call(begins, { kind: "propose" });
    drawn.call(begins + 300, { kind: "execute", deadlineMs: minuteMs });
    drawn.decide(begins + chance.between(500, 3_000), chance.chance(0.9), chance.chance(0.7) ? 20 : null);
    const second = begins + chance.between(3_500, 6_000);
    drawn.call(second, { kind: "execute", deadlineMs: chance.pick([2_000, 30_000, 5 * minuteMs]) });
    // Whoever slips has passed the gate just before it is closed.
    if (chance.chance(0.6)) drawn.slip(second + chance.between(-1_500, 200));
    for (let left = chance.between(0, 5); left > 0; left -= 1)
      drawn.call(within(), { kind: "execute", deadlineMs: chance.pick([500, 10_000, 5 * minuteMs]) });
    for (let left = chance.between(0, 5); left > 0; left -= 1) drawn.decide(within(), chance.chance(0.65));
    if (chance.chance(0.2)) drawn.call(within(), { kind: "turnBack" });
    if (chance.chance(0.2)) drawn.call(within(), { kind: "propose" });
    if (chance.chance(0.3)) drawn.world(within(), { kind: "migrationFails", times: chance.between(1, 3) });
  }
  for (let left = chance.between(0, 5); left > 0; left -= 1)
    drawn.start(within(), chance.pick([0, 1, 2] as const), drawn.side(0.5), style.slips);
  if (chance.chance(0.3)) drawn.call(within(), { kind: "stop", agent: chance.pick([0, 1, 2] as const) });
  if (style.world)
    for (let left = chance.between(1, 6); left > 0; left -= 1) drawn.world(within(), randomEvent(chance));
  return {
    seed,
    movesLog: chance.chance(0.5),
    migration: chance.pick([null, "node migrate.ts"]),
    takesPart: [drawn.takesPart(), drawn.takesPart(), drawn.takesPart()],
    steps,
    faults: { kind: "drawn", rate: chance.pick([0, 0, 0.01, 0.04, 0.12]) },
  };
}

class Drawn {
  readonly steps: FleetStep[] = [];
  readonly #chance: Chance;
  readonly #crashes: boolean;
  #callers = 0;

  constructor(chance: Chance, crashes: boolean) {
    this.#chance = chance;
    this.#crashes = crashes;
  }

  call(at: number, step: CallKind): void {
    const chance = this.#chance;
    const crash: Crash | null =
      this.#crashes && chance.chance(0.4) ? { operation: chance.below(45), after: chance.chance(0.6) } : null;
    const caller = this.#callers;
    this.#callers += 1;
    this.steps.push({ ...step, at, caller, crash });
    if (chance.chance(0.05)) this.steps.push({ kind: "interrupt", at: at + chance.below(20_000), caller });
    if (chance.chance(0.05))
      this.steps.push({
        kind: "gap",
        at: at + chance.below(5_000),
        caller,
        ms: chance.pick([500, 20_000, 480 * minuteMs]),
      });
  }

  publish(at: number, nature: "good" | "bad" | "slow" | "broken", side: Side): void {
    const thinkMs = this.#chance.pick([0, 10, 2_000]);
    this.call(at, { kind: "publish", content: this.#chance.below(4), nature, side, thinkMs });
    // A race: both have seen the same head.
    if (this.#chance.chance(0.15))
      this.call(at, { kind: "publish", content: this.#chance.below(4), nature: "good", side, thinkMs });
  }

  decide(at: number, forward: boolean, thinkMs: number | null = null): void {
    const chance = this.#chance;
    const favours = forward ? "forward" : "back";
    const both = chance.chance(0.2) ? 2 : 1;
    for (let left = both; left > 0; left -= 1)
      this.call(at, {
        kind: "decide",
        favours: left === 2 ? (forward ? "back" : "forward") : favours,
        thinkMs: thinkMs ?? chance.pick([0, 50, 5_000, 30_000]),
        snoozes: chance.chance(0.08),
      });
  }

  start(at: number, agent: AgentNumber, side: Side, slips: boolean): void {
    const chance = this.#chance;
    const after = chance.pick(["begin", "secret", "stillHolds"] as const);
    const slip = slips && chance.chance(0.7) ? { after, ms: chance.pick([200, 2_000, 10_000, 40_000]) } : null;
    this.call(at, { kind: "start", agent, side, slip, ignorant: chance.chance(0.1) });
  }

  slip(at: number): void {
    const chance = this.#chance;
    const after = chance.pick(["begin", "secret", "stillHolds"] as const);
    const ms = chance.pick([500, 5_000, 30_000, 90_000]);
    this.call(at, { kind: "start", agent: 2, side: "old", slip: { after, ms }, ignorant: false });
  }

  world(at: number, event: FleetWorldEvent): void {
    this.steps.push({ kind: "world", at, event });
  }

  side(old: number): Side {
    return this.#chance.chance(old) ? "old" : "new";
  }

  takesPart(): "socket" | "files" | "nothing" {
    return this.#chance.pick(["socket", "socket", "files", "nothing"] as const);
  }
}

type CallKind = DistributiveOmit<Extract<FleetStep, { crash: unknown }>, "at" | "caller" | "crash">;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

function randomEvent(chance: Chance): FleetWorldEvent {
  const agent = chance.pick([0, 1] as const);
  const ms = chance.pick([500, 5_000, 60_000]);
  switch (chance.below(8)) {
    case 0:
    case 1:
      return { kind: "kill", agent, fuse: chance.below(6) };
    case 2:
      return { kind: "crash", agent };
    case 3:
      return { kind: "evict", agent };
    case 4:
      return { kind: "diskFull", ms };
    case 5:
      return { kind: "outage", ms };
    case 6:
      return { kind: "clockStep", ms: chance.pick([-86_400_000, -5_000, 3_600_000, 172_800_000]) };
    default:
      return { kind: "retry", agent };
  }
}
