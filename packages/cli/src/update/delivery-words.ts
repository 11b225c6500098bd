/** An agent's life with bundles in words: how far one bundle has got, and what it waits for. */
import type { DeliveryFacts, NextFacts } from "@moorage/local";
import { clockText } from "../text/time.ts";
import { bundleName } from "./bundle-name.ts";

type HeldBack = DeliveryFacts["heldBack"][number];

/** The bundle that is waited for. */
export interface AwaitedBundle {
  readonly digest: string;
  readonly catalogHash: string;
  readonly sequence: number;
}

/** How far a bundle has got with one agent. */
export type Passage =
  | { readonly kind: "underway"; readonly phase: string; readonly onTrial: boolean }
  | { readonly kind: "confirmed"; readonly unproven: boolean }
  | { readonly kind: "nextStart" }
  | {
      readonly kind: "refused" | "reverted";
      readonly code: string;
      readonly message: string;
      readonly why: Pick<HeldBack, "reason" | "detail">;
      /** There was nothing to come back on: the agent has ended with it. */
      readonly ended: boolean;
    }
  /** Another one came after it. */
  | { readonly kind: "superseded"; readonly by: number };

/** `trialMs`: for how long it has been seen on trial; null: it has not. `now` in milliseconds since 1970. */
export function passageOf(
  facts: DeliveryFacts | null,
  bundle: AwaitedBundle,
  { trialMs, bakeMs, now }: { readonly trialMs: number | null; readonly bakeMs: number; readonly now: number },
): Passage {
  if (facts === null) return { kind: "underway", phase: "waits for its supervisor", onTrial: false };
  const { state, inUse, next, failed } = facts;
  if (failed?.digest === bundle.digest)
    return {
      kind: "reverted",
      code: `reverted.${failed.reason}`,
      message:
        state === "ended"
          ? `${failed.detail}; ${nothingElse(facts)}, so there was nothing to come back on`
          : `brought back: ${failed.detail}`,
      why: failed,
      ended: state === "ended",
    };
  const held = facts.heldBack.find((one) => isOf(one, bundle));
  if (held !== undefined)
    return { kind: wasTried(held) ? "reverted" : "refused", ...heldWords(held, now), why: held, ended: false };
  if (inUse?.digest === bundle.digest) {
    if (state === "confirmed") return { kind: "confirmed", unproven: facts.unproven };
    return { kind: "underway", phase: trialText(facts, trialMs, bakeMs), onTrial: state === "trial" };
  }
  if (next?.digest === bundle.digest)
    return next.state === "staged" && next.waitsFor === "next start"
      ? { kind: "nextStart" }
      : { kind: "underway", phase: nextText(next, now), onTrial: false };
  const newest = Math.max(inUse?.sequence ?? 0, next?.sequence ?? 0);
  if (newest > bundle.sequence) return { kind: "superseded", by: newest };
  return { kind: "underway", phase: "told; not fetched yet", onTrial: false };
}

/** Why what failed could not be replaced by what was confirmed last. */
export function nothingElse({ lastGood }: Pick<DeliveryFacts, "lastGood">): string {
  return lastGood === null ? "nothing was confirmed before" : `${bundleName(lastGood)} failed as well`;
}

/** "on trial: 1 of 1 turn, 4 s of 10 s". Without `trialMs` nobody counts the seconds: "on trial for 10 s: 1 of 1 turn done". */
export function trialText({ trial }: DeliveryFacts, trialMs: number | null, bakeMs: number): string {
  if (trial === null) return "coming back";
  const { turns, turnsWanted, baked } = trial;
  const of = `${turns} of ${turnsWanted === 1 ? "1 turn" : `${turnsWanted} turns`}`;
  if (trialMs === null || bakeMs === 0) {
    const done = turnsWanted === 0 ? "" : `: ${of} done`;
    if (bakeMs === 0) return `on trial${done}`;
    return baked ? `on trial, its ${seconds(bakeMs)} are over${done}` : `on trial for ${seconds(bakeMs)}${done}`;
  }
  const lived = `${seconds(baked ? bakeMs : Math.min(bakeMs, trialMs))} of ${seconds(bakeMs)}`;
  return `on trial: ${turnsWanted === 0 ? "" : `${of}, `}${lived}`;
}

/** What a bundle on its way waits for. */
export function nextText({ state, deferred, waitsFor }: NextFacts, now: number): string {
  if (deferred !== null) return `${deferWords[deferred.cause]} until ${clockText(deferred.until, now)}`;
  switch (state) {
    case "staged":
      return `staged: waits for ${waitsFor === "next start" ? "its next start" : "its next turn"}`;
    case "offered":
      return "told; not fetched yet";
    case "fetched":
      return "fetched; not verified yet";
    case "verified":
      return "verified; not unpacked yet";
    case "deferred":
      return "put off";
    default:
      return state satisfies never;
  }
}

const deferWords: Readonly<Record<NonNullable<NextFacts["deferred"]>["cause"], string>> = {
  notNow: 'the agent said "not now": put off',
  diskFull: "the disk is full: tried again, at the latest",
  timeout: "it took too long: tried again, at the latest",
  unreachable: "the store does not answer: tried again, at the latest",
};

/** Why it is held back, and until when. */
export function heldWords(held: HeldBack, now: number): { readonly code: string; readonly message: string } {
  const { reason, detail, axis, until } = held;
  const values = axis === null ? "" : ` (the bundle has ${axis.expected}, the build ${axis.actual})`;
  const lasts = until === null ? "until another build" : `until ${clockText(until, now)}`;
  const tried = wasTried(held);
  return {
    code: `${tried ? "reverted" : "refused"}.${reason}`,
    message: `${tried ? "brought back" : "refused"}: ${detail}${values}; held back ${lasts}`,
  };
}

export interface NamedBundle {
  readonly digest: string;
  /** Null where it is lost. */
  readonly catalogHash: string | null;
}

/** A content that was in use is known whatever its number; what was refused before by its digest alone. */
export function isOf(held: Pick<HeldBack, "digest" | "catalogHash">, { digest, catalogHash }: NamedBundle): boolean {
  return held.digest === digest || (held.catalogHash !== null && held.catalogHash === catalogHash);
}

/** Whether it was in use and failed; else it was refused before. */
function wasTried({ catalogHash }: HeldBack): boolean {
  return catalogHash !== null;
}

function seconds(ms: number): string {
  return `${Math.floor(ms / 1000)} s`;
}
