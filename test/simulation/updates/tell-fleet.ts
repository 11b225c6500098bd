/** A fleet's history and what came of it, cut down to what matters and told so that a person can follow it. */
import { cutDown, type Parts } from "../shrink.ts";
import { seconds, storyOf } from "../story.ts";
import type { FleetHistory, FleetStep } from "./fleet-history.ts";
import type { FleetPromise } from "./fleet-promises.ts";
import type { PlayedFleet, PlayFleetOptions } from "./play-fleet.ts";
import { playFleet } from "./play-fleet.ts";

/** The smallest history found that still breaks that promise; at most `plays` are tried. */
export async function shrinkFleet(
  history: FleetHistory,
  promise: FleetPromise,
  options: PlayFleetOptions = {},
  plays: number = 300,
): Promise<FleetHistory> {
  const replay = (parts: Parts<FleetStep>) => playFleet({ ...history, ...parts }, options);
  return { ...history, ...(await cutDown(history, promise, replay, simplerThan, plays)) };
}

function simplerThan(step: FleetStep): FleetStep[] {
  const simpler: FleetStep[] = [];
  if ("crash" in step && step.crash !== null) simpler.push({ ...step, crash: null });
  if ("slip" in step && step.slip !== null) simpler.push({ ...step, slip: null });
  return simpler;
}

export function tellFleet(history: FleetHistory, played: PlayedFleet): string {
  const { seed, movesLog, migration, takesPart, steps } = history;
  const words = steps.map(({ at, ...step }) => `${seconds(at)} ${JSON.stringify(step)}`);
  const title = `seed ${seed}, the ${movesLog ? "event log" : "wire version"} moves, migration ${migration ?? "none"}, ${takesPart.join(" and ")}`;
  return storyOf(title, words, history.faults, played, ["rest", "told"]);
}
