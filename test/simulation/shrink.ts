/** Cuts a history that breaks a promise down to the steps and faults without which it would not. */
import type { Fault, History, Step } from "./history.ts";
import type { PlayOptions } from "./play.ts";
import { play } from "./play.ts";
import type { PromiseName } from "./promises.ts";

type Item = { readonly step: Step } | { readonly fault: Fault };

/** The smallest history found that still breaks that promise; at most `plays` are tried. */
export async function shrink(
  history: History,
  promise: PromiseName,
  options: PlayOptions = {},
  plays: number = 600,
): Promise<History> {
  const drawn = await play(history, options);
  const items: Item[] = [...history.steps.map((step) => ({ step })), ...drawn.faults.map((fault) => ({ fault }))];
  const breaks = async (candidate: readonly Item[]): Promise<boolean> => {
    const { violations } = await play(assembled(history, candidate), options);
    return violations.some((violation) => violation.promise === promise);
  };
  return assembled(history, await cut(items, breaks, simplerThan, plays));
}

/** The fewest and simplest of these items with which it still breaks. */
export async function cut<T>(
  whole: readonly T[],
  breaks: (items: readonly T[]) => Promise<boolean>,
  simpler: (item: T) => readonly T[],
  plays: number,
): Promise<readonly T[]> {
  let items = whole;
  let left = plays;
  const still = (candidate: readonly T[]): Promise<boolean> => {
    left -= 1;
    return breaks(candidate);
  };
  for (let size = Math.ceil(items.length / 2); size >= 1 && left > 0; ) {
    let shorter = false;
    for (let at = 0; at < items.length && left > 0; ) {
      const candidate = [...items.slice(0, at), ...items.slice(at + size)];
      if (candidate.length < items.length && (await still(candidate))) {
        items = candidate;
        shorter = true;
      } else {
        at += size;
      }
    }
    if (size === 1 && !shorter) break;
    if (!shorter || size > items.length) size = Math.max(1, Math.floor(size / 2));
  }
  for (let at = 0; at < items.length && left > 0; at += 1)
    for (const other of simpler(items[at] as T)) {
      const candidate = items.with(at, other);
      if (await still(candidate)) items = candidate;
    }
  return items;
}

function assembled(history: History, items: readonly Item[]): History {
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
  if (step.kind === "start" && step.settleMs > 0) simpler.push({ step: { ...step, settleMs: 0 } });
  if (step.kind === "start" && step.scheme !== "m1") simpler.push({ step: { ...step, scheme: "m1" } });
  if (step.kind === "keep") {
    const { untilMs: _untilMs, ...common } = step;
    simpler.push({ step: { ...common, kind: "start", settleMs: 0, scheme: "m1" } });
  }
  return simpler;
}
