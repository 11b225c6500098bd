/** What failed here: for a bundle *and* a build, until another build, expiry or an operator's word lifts it. */
import type { LifeBundle, Refusal, Revert } from "./life.ts";

/** A refused bundle is known by its manifest: signed again it is another. A reverted one by its content, whatever the name. */
export type Quarantined = {
  readonly digest: string;
  readonly buildId: string;
  /** Milliseconds since 1970. */
  readonly until: number;
} & (
  | { readonly by: "manifest"; readonly why: Refusal }
  | { readonly by: "content"; readonly catalogHash: string; readonly why: Revert }
);

/** Long enough for a person to look at it, short enough not to be forgotten. */
export const quarantineMs = 86_400_000;
const atMost = 64;

/** The entry that keeps this bundle from this build, or null. */
export function quarantinedBy(
  entries: readonly Quarantined[],
  bundle: Pick<LifeBundle, "digest" | "catalogHash">,
  buildId: string,
  at: number,
): Quarantined | null {
  const holds = (entry: Quarantined): boolean =>
    entry.buildId === buildId &&
    at < entry.until &&
    (entry.digest === bundle.digest || (entry.by === "content" && entry.catalogHash === bundle.catalogHash));
  return entries.find(holds) ?? null;
}

/** With one more; what is over is left out, and of too many those of other builds go first, then the oldest. */
export function withQuarantined(entries: readonly Quarantined[], added: Quarantined, at: number): Quarantined[] {
  const kept = entries.filter((entry) => at < entry.until && !sameThing(entry, added));
  while (kept.length >= atMost) {
    const other = kept.findIndex(({ buildId }) => buildId !== added.buildId);
    kept.splice(Math.max(other, 0), 1);
  }
  return [...kept, added];
}

/** Without what an operator wants tried again: the bundle of this digest, and whatever has its content. */
export function lifted(entries: readonly Quarantined[], digest: string): Quarantined[] {
  const contents = new Set(
    entries.flatMap((entry) => (entry.digest === digest && entry.by === "content" ? [entry.catalogHash] : [])),
  );
  return entries.filter(
    (entry) => entry.digest !== digest && !(entry.by === "content" && contents.has(entry.catalogHash)),
  );
}

function sameThing(one: Quarantined, other: Quarantined): boolean {
  return one.digest === other.digest && one.buildId === other.buildId && one.by === other.by;
}
