/** A fleet's history and what came of it, cut down to what matters and told so that a person can follow it. */
import type { Fault } from "../history.ts";
import { cut } from "../shrink.ts";
import type { FleetHistory, FleetStep } from "./fleet-history.ts";
import type { FleetPromise } from "./fleet-promises.ts";
import type { PlayedFleet, PlayFleetOptions } from "./play-fleet.ts";
import { playFleet } from "./play-fleet.ts";

type Item = { readonly step: FleetStep } | { readonly fault: Fault };

/** The smallest history found that still breaks that promise; at most `plays` are tried. */
export async function shrinkFleet(
  history: FleetHistory,
  promise: FleetPromise,
  options: PlayFleetOptions = {},
  plays: number = 300,
): Promise<FleetHistory> {
  const drawn = await playFleet(history, options);
  const items: Item[] = [...history.steps.map((step) => ({ step })), ...drawn.faults.map((fault) => ({ fault }))];
  const breaks = async (candidate: readonly Item[]): Promise<boolean> => {
    const { violations } = await playFleet(assembled(history, candidate), options);
    return violations.some((violation) => violation.promise === promise);
  };
  return assembled(history, await cut(items, breaks, simplerThan, plays));
}

function assembled(history: FleetHistory, items: readonly Item[]): FleetHistory {
  return {
    ...history,
    steps: items.flatMap((item) => ("step" in item ? [item.step] : [])),
    faults: { kind: "given", list: items.flatMap((item) => ("fault" in item ? [item.fault] : [])) },
  };
}

function simplerThan(item: Item): Item[] {
  if (!("step" in item)) return [];
  const { step } = item;
  const simpler: Item[] = [];
  if ("crash" in step && step.crash !== null) simpler.push({ step: { ...step, crash: null } });
  if ("slip" in step && step.slip !== null) simpler.push({ step: { ...step, slip: null } });
  return simpler;
}

export function tellFleet(history: FleetHistory, played: PlayedFleet): string {
  const inRest = played.violations.every(({ promise }) => promise === "rest" || promise === "told");
  const calm = played.story.findIndex((line) => line.endsWith("the world is calm"));
  const lines = inRest || calm < 0 ? played.story : played.story.slice(0, calm);
  const { seed, movesLog, migration, takesPart, steps } = history;
  const faults = history.faults.kind === "given" ? history.faults.list : played.faults;
  return [
    `seed ${seed}, the ${movesLog ? "event log" : "wire version"} moves, migration ${migration ?? "none"}, ${takesPart.join(" and ")}`,
    "who and what:",
    ...steps.map(({ at, ...step }) => `  ${seconds(at)} ${JSON.stringify(step)}`),
    ...faults.map(({ caller, operation, kind }) => `  request ${operation} of #${caller}: ${kind}`),
    "what happened:",
    ...lines.map((line) => `  ${line}`),
    "what broke:",
    ...played.violations.map(({ promise, at, message }) => `  ${promise} at ${seconds(at)}: ${message}`),
  ].join("\n");
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}
