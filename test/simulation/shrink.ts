/** Cuts a history that breaks a promise down to the steps and faults without which it would not. */
import type { Fault, History, Step } from "./history.ts";
import type { PlayOptions } from "./play.ts";
import { play } from "./play.ts";
import type { PromiseName } from "./promises.ts";

type Item<S> = { readonly step: S } | { readonly fault: Fault };

/** What a history can be cut down in. */
export interface Parts<S> {
  readonly steps: readonly S[];
  readonly faults: History["faults"];
}

/** What a history came to, as far as cutting goes by it. */
interface Came {
  readonly violations: readonly { readonly promise: string }[];
  readonly faults: readonly Fault[];
}

/** The smallest history found that still breaks that promise; at most `plays` are tried. */
export async function shrink(
  history: History,
  promise: PromiseName,
  options: PlayOptions = {},
  plays: number = 600,
): Promise<History> {
  const replay = (parts: Parts<Step>) => play({ ...history, ...parts }, options);
  return { ...history, ...(await cutDown(history, promise, replay, simplerThan, plays)) };
}

/** The fewest and simplest steps and faults with which that promise is still broken, played at most `plays` times. */
export async function cutDown<S>(
  whole: Parts<S>,
  promise: string,
  replay: (parts: Parts<S>) => Promise<Came>,
  simpler: (step: S) => readonly S[],
  plays: number,
): Promise<Parts<S>> {
  const drawn = await replay(whole);
  const items: Item<S>[] = [...whole.steps.map((step) => ({ step })), ...drawn.faults.map((fault) => ({ fault }))];
  const breaks = async (candidate: readonly Item<S>[]): Promise<boolean> =>
    (await replay(assembled(candidate))).violations.some((violation) => violation.promise === promise);
  const simplerItems = (item: Item<S>): Item<S>[] =>
    "step" in item ? simpler(item.step).map((step) => ({ step })) : [];
  return assembled(await cut(items, breaks, simplerItems, plays));
}

async function cut<T>(
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

function assembled<S>(items: readonly Item<S>[]): Parts<S> {
  return {
    steps: items.flatMap((item) => ("step" in item ? [item.step] : [])),
    faults: { kind: "given", list: items.flatMap((item) => ("fault" in item ? [item.fault] : [])) },
  };
}

function simplerThan(step: Step): Step[] {
  const simpler: Step[] = [];
  if ("crash" in step && step.crash !== null) simpler.push({ ...step, crash: null });
  if (step.kind === "start" && step.settleMs > 0) simpler.push({ ...step, settleMs: 0 });
  if (step.kind === "start" && step.scheme !== "m1") simpler.push({ ...step, scheme: "m1" });
  if (step.kind === "keep") {
    const { untilMs: _untilMs, ...common } = step;
    simpler.push({ ...common, kind: "start", settleMs: 0, scheme: "m1" });
  }
  return simpler;
}
