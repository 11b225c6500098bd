/** An agent's life with bundles in sentences: what is in use, what waits for what and until when, what failed and why. */
import type { DeliveryFacts } from "@moorage/local";
import { bundleName, shortHash } from "./bundle-name.ts";
import type { ChannelBundle, ChannelState } from "./channel-state.ts";
import { heldWords, isOf, nextText, nothingElse, trialText } from "./delivery-words.ts";

type HeldBack = DeliveryFacts["heldBack"][number];

export interface Beside {
  readonly channel: ChannelState;
  /** How long a trial takes, in milliseconds. */
  readonly bakeMs: number;
  /** Nothing is in use by an agent that has ended. */
  readonly runs: boolean;
  /** Other agents that have what is published last. */
  readonly triedBy?: readonly string[];
}

/** `now` in milliseconds since 1970. */
export function lifeLines(facts: DeliveryFacts, beside: Beside, now: number): string[] {
  const { next, heldBack, inUse } = facts;
  const { channel, triedBy = [] } = beside;
  const lines = [useText(facts, beside)];
  if (next !== null) lines.push(`${bundleName(next)}: ${nextText(next, now)}`);
  for (const held of heldBack) lines.push(`${heldName(held, facts, channel)}: ${heldWords(held, now).message}`);
  const known = Math.max(inUse?.sequence ?? 0, next?.sequence ?? 0, facts.floor);
  const { assigned, published } = channel;
  const given = assigned?.sequence ?? 0;
  if (assigned !== null && given > known && heldIn(facts, assigned) === null)
    lines.push(
      beside.runs
        ? `${given} is given to its fleet, and it has not heard of it yet`
        : `${given} is given to its fleet: its next start uses it`,
    );
  if (published !== null && published.sequence > Math.max(given, known) && heldIn(facts, published) === null)
    lines.push(
      `${published.sequence} is published, ${triedBy.length === 0 ? "and given to nobody yet" : `and given to ${triedBy.join(", ")} alone`}: \`moorage update apply\` gives it to the fleet`,
    );
  return lines;
}

/** Why a bundle of its channel is held back here; null: it is not. */
export function heldIn({ heldBack }: DeliveryFacts, bundle: ChannelBundle): HeldBack | null {
  return heldBack.find((held) => isOf(held, bundle)) ?? null;
}

/** By its number, wherever that is known. */
function heldName({ digest, catalogHash }: HeldBack, { failed }: DeliveryFacts, { numbers }: ChannelState): string {
  if (failed?.digest === digest) return bundleName(failed);
  const sequence = numbers.get(digest);
  if (sequence === undefined) return `a bundle that the store does not have (${shortHash(digest)})`;
  return catalogHash === null ? `number ${sequence}` : bundleName({ sequence, catalogHash });
}

function useText(facts: DeliveryFacts, { bakeMs, runs }: Beside): string {
  const { state, inUse, unproven, lastGood, failed } = facts;
  const used = inUse === null ? "" : bundleName(inUse);
  const good = lastGood === null ? "nothing was confirmed before" : `it falls back on ${bundleName(lastGood)}`;
  const why = failed === null ? "" : `${bundleName(failed)} failed: ${failed.detail}`;
  const is = runs ? "is" : "was";
  switch (state) {
    case "none":
      return `no bundle ${is} in use`;
    case "confirmed":
      return `catalog ${used} ${is} in use${unproven ? ", unproven: it has lived with it, and that is all that is known" : ""}`;
    case "trial":
      return `catalog ${used} ${is} ${trialText(facts, null, bakeMs)}; ${good}`;
    case "returning":
      return `brought back on catalog ${used}: ${why}`;
    case "ended":
      return `it ended with its catalog: ${why}; ${nothingElse(facts)}`;
    default:
      return state satisfies never;
  }
}

/** That what runs has not got what was edited since that number. */
export function editedText(since: number): string {
  return `its catalog was edited since ${since}: \`moorage update apply\``;
}

/** For a column: "12 9ab1c3d4", with what is on its way. */
export function useCell({ state, inUse, unproven, next }: DeliveryFacts): string {
  const marks: Readonly<Record<DeliveryFacts["state"], string>> = {
    none: "",
    confirmed: unproven ? " unproven" : "",
    trial: " on trial",
    returning: " returning",
    ended: "failed",
  };
  const used = inUse === null ? "" : bundleName(inUse);
  const now = `${used}${marks[state]}`;
  const waits = next === null ? "" : ` → ${next.sequence}${waitCell(next)}`;
  return `${now === "" ? "-" : now}${waits}`;
}

function waitCell({ deferred, waitsFor }: NonNullable<DeliveryFacts["next"]>): string {
  if (deferred !== null) return deferred.cause === "notNow" ? " put off" : " waits";
  if (waitsFor === null) return "";
  return waitsFor === "next start" ? " at its next start" : " at its next turn";
}
