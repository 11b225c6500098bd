/** What a channel may accept: sequences that only rise, one manifest for each, one line of parents. Pure; no clock is read. */
import type { RuntimeTarget } from "./fingerprint.ts";

/** The line of bundles in which sequence and parent count. */
export interface Channel {
  readonly fleet: string;
  readonly catalog: string;
}

/** What a catalog may be called: lower-case words that lead nowhere else, whatever they become the name of. */
export const catalogNamePattern = "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$";

/** What of a verified manifest takes part. Its signatures have been checked: nothing here proves who wrote it. */
export interface ManifestFacts {
  readonly channel: Channel;
  readonly sequence: number;
  /** Digest of the channel's previous manifest; null for the first. */
  readonly parent: string | null;
  /** Of the manifest itself. */
  readonly digest: string;
  readonly target: RuntimeTarget;
  readonly catalogHash: string;
  /** Of the trust root that its signatures count for. */
  readonly rootVersion: number;
  /** Milliseconds since 1970, from which on it is not accepted any more; null: never. */
  readonly expiresAt: number | null;
}

/** The highest that was accepted here; lower is refused. It is persisted, and stamped into every new instance. */
export interface Floor {
  readonly sequence: number;
  /** Of the manifest with that sequence; null before the first, or where nobody kept it. */
  readonly digest: string | null;
  readonly rootVersion: number;
}

/** Before anything was accepted. */
export const bareFloor: Floor = { sequence: 0, digest: null, rootVersion: 0 };

/** Farther than any channel gets between two looks; whoever signs a giant step would lock everybody out after it. */
export const longestJump = 1_000_000;

export type OrderFault =
  | "otherChannel"
  | "rootRollback"
  | "rollback"
  | "equivocation"
  | "jump"
  | "parent"
  | "sequence"
  | "expired";

/** What is wrong with the order of a manifest, for people. */
export const orderTexts: Readonly<Record<OrderFault, string>> = {
  otherChannel: "it was published for another channel",
  rootRollback: "it is signed for an older trust root than the one that was accepted here",
  rollback: "a later one was accepted here before; going back is publishing the old content under a new sequence",
  equivocation: "another bundle with the same sequence was accepted here: the channel says two things at once",
  jump: "its sequence is farther ahead than any channel gets",
  parent: "its parent is not the bundle that was accepted here before it",
  sequence: "its sequence is no number that a channel counts to",
  expired: "it had expired when it was checked",
};

export type OrderVerdict =
  /** Newer than all: the floor rises with it. */
  | { readonly kind: "accept"; readonly floor: Floor }
  /** Accepted before, this very one. Expiry decides about accepting, never about what was accepted. */
  | { readonly kind: "known" }
  | { readonly kind: "refuse"; readonly fault: OrderFault };

/** `checkedAt`: milliseconds since 1970 when the check began; one time for all of it, however long it takes. */
export function judgeManifest(
  channel: Channel,
  floor: Floor,
  manifest: ManifestFacts,
  checkedAt: number,
): OrderVerdict {
  const fault = orderFault(channel, floor, manifest);
  if (fault !== null) return { kind: "refuse", fault };
  const { sequence, digest, rootVersion, expiresAt } = manifest;
  if (sequence === floor.sequence && digest === floor.digest && rootVersion === floor.rootVersion)
    return { kind: "known" };
  if (expiresAt !== null && checkedAt >= expiresAt) return { kind: "refuse", fault: "expired" };
  return { kind: "accept", floor: { sequence, digest, rootVersion } };
}

function orderFault(channel: Channel, floor: Floor, manifest: ManifestFacts): OrderFault | null {
  const { sequence, digest, parent, rootVersion } = manifest;
  if (!sameChannel(channel, manifest.channel)) return "otherChannel";
  if (!Number.isSafeInteger(sequence) || sequence < 1) return "sequence";
  if (rootVersion < floor.rootVersion) return "rootRollback";
  if (sequence < floor.sequence) return "rollback";
  if (sequence === floor.sequence) return floor.digest === null || digest === floor.digest ? null : "equivocation";
  if (sequence - floor.sequence > longestJump) return "jump";
  if ((sequence === 1) !== (parent === null)) return "parent";
  // Between lies what was never seen here: only the very next can be compared.
  const next = sequence === floor.sequence + 1 && floor.digest !== null;
  return next && parent !== floor.digest ? "parent" : null;
}

function sameChannel(one: Channel, other: Channel): boolean {
  return one.fleet === other.fleet && one.catalog === other.catalog;
}

/** What stands at the end of a channel. */
export type Head = { readonly sequence: number; readonly digest: string } | null;

export type PublishVerdict =
  | { readonly kind: "publish"; readonly head: NonNullable<Head> }
  /** This very manifest is the head: an answer was lost. */
  | { readonly kind: "already" }
  /** Somebody else published on that parent. Never tried again by itself: older content must not win by being stubborn. */
  | { readonly kind: "lost"; readonly head: Head }
  | { readonly kind: "refuse"; readonly fault: "otherChannel" | "sequence" };

/** Publishing is a compare-and-swap on the parent: `head` is read and replaced in one step by whoever performs it. */
export function decidePublish(
  channel: Channel,
  head: Head,
  manifest: Pick<ManifestFacts, "channel" | "sequence" | "parent" | "digest">,
): PublishVerdict {
  const { sequence, parent, digest } = manifest;
  if (!sameChannel(channel, manifest.channel)) return { kind: "refuse", fault: "otherChannel" };
  if (digest === head?.digest) return { kind: "already" };
  if (parent !== (head?.digest ?? null)) return { kind: "lost", head };
  if (sequence !== (head?.sequence ?? 0) + 1) return { kind: "refuse", fault: "sequence" };
  return { kind: "publish", head: { sequence, digest } };
}
