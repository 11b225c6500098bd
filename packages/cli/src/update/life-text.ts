/** An agent's life with bundles in sentences: what is in use, what waits for what and until when, what failed and why. */
import type { PublishedHead } from "@moorage/bundle";
import type { DeliveryFacts } from "@moorage/local";
import { bundleName } from "./bundle-name.ts";
import { heldWords, nextText, trialText } from "./delivery-words.ts";

/** What the channel has; null: nothing. */
export interface ChannelState {
  readonly published: PublishedHead | null;
  readonly assigned: PublishedHead | null;
  readonly confirmed: PublishedHead | null;
}

/** `bakeMs`: how long a trial takes. `now` in milliseconds since 1970. */
export function lifeLines(facts: DeliveryFacts, channel: ChannelState, bakeMs: number, now: number): string[] {
  const { next, heldBack, inUse } = facts;
  const lines = [useText(facts, bakeMs)];
  if (next !== null) lines.push(`${bundleName(next)}: ${nextText(next, now)}`);
  for (const held of heldBack)
    lines.push(
      `${held.digest === facts.failed?.digest ? bundleName(facts.failed) : held.digest.slice(0, 15)}: ${heldWords(held, now).message}`,
    );
  const known = Math.max(inUse?.sequence ?? 0, next?.sequence ?? 0, facts.floor);
  const isHeld = (digest: string | undefined): boolean => heldBack.some((held) => held.digest === digest);
  const assigned = channel.assigned?.sequence ?? null;
  const published = channel.published?.sequence ?? null;
  if (assigned !== null && assigned > known && !isHeld(channel.assigned?.digest))
    lines.push(`${assigned} is given to its fleet, and it has not heard of it yet`);
  if (published !== null && published > Math.max(assigned ?? 0, known))
    lines.push(`${published} is published, and given to nobody yet: \`moorage update apply\` does it`);
  return lines;
}

function useText(facts: DeliveryFacts, bakeMs: number): string {
  const { state, inUse, unproven, lastGood, failed } = facts;
  const used = inUse === null ? "" : bundleName(inUse);
  const good = lastGood === null ? "nothing was confirmed before" : `it falls back on ${bundleName(lastGood)}`;
  const why = failed === null ? "" : `${bundleName(failed)} failed: ${failed.detail}`;
  switch (state) {
    case "none":
      return "no bundle is in use";
    case "confirmed":
      return `catalog ${used} is in use${unproven ? ", unproven: it has lived with it, and that is all that is known" : ""}`;
    case "trial":
      return `catalog ${used} is ${trialText(facts, null, bakeMs)}; ${good}`;
    case "returning":
      return `brought back on catalog ${used}: ${why}`;
    case "ended":
      return `it ended with its catalog: ${why}; ${lastGood === null ? "nothing was confirmed before" : `${bundleName(lastGood)} failed as well`}`;
    default:
      return state satisfies never;
  }
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
