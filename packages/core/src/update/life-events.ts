/** What happens in a life with bundles, and what is to be done about it: both plain data. */
import type { ManifestFacts } from "./channel.ts";
import type { DeferCause, LifeBundle, Offer, Refusal, RefusalReason, Revert, RevertReason, Run } from "./life.ts";
import type { TakesEffect } from "./plan.ts";

/** What a start may fall back on: the newest bundle of the channel, verified, and whether the channel has confirmed it. */
export interface Assigned {
  readonly bundle: LifeBundle;
  readonly confirmed: boolean;
}

/** What the outside tells. A digest says which bundle it is about: what is late about another one changes nothing. */
export type Happening =
  /** A process is about to be started; nothing runs. */
  | { readonly kind: "starting"; readonly run: Run; readonly assigned: Assigned | null }
  /** The agent has asked the socket for a turn or for events: from now on its turns tell. */
  | { readonly kind: "connected" }
  | { readonly kind: "offered"; readonly offer: Offer }
  | { readonly kind: "fetched"; readonly digest: string }
  /** The signatures are good. `at` is when the check began. */
  | { readonly kind: "checked"; readonly manifest: ManifestFacts; readonly takesEffect: TakesEffect }
  /** Final: whatever was found out about the content or its signatures. */
  | {
      readonly kind: "rejected";
      readonly digest: string;
      readonly reason: "signature" | "corrupt" | "malformed";
      readonly detail: string;
    }
  /** Unpacked beside the live one, and verified there. */
  | { readonly kind: "staged"; readonly digest: string }
  /** Passes by itself. */
  | { readonly kind: "failed"; readonly digest: string; readonly cause: Exclude<DeferCause, "notNow"> }
  /** The back-off is over. */
  | { readonly kind: "due"; readonly digest: string }
  /** No turn is under way, or each keeps the catalog that it began with. By files and a signal: any moment. */
  | { readonly kind: "boundary" }
  /** The agent does not want it at this boundary. */
  | { readonly kind: "notNow"; readonly digest: string }
  /** What is live has changed, by one rename. */
  | { readonly kind: "switched"; readonly digest: string }
  /** A turn ended well that had seen this catalog from its start. */
  | { readonly kind: "turnCompleted"; readonly catalogHash: string }
  /** The process has lived for the bake time with this bundle. */
  | { readonly kind: "baked"; readonly digest: string }
  /** The declared check held, with this bundle. */
  | { readonly kind: "checkHeld"; readonly digest: string }
  | { readonly kind: "faltered"; readonly reason: RevertReason; readonly detail: string }
  /** Stop, idle end, eviction: it ended, and that proves nothing. */
  | { readonly kind: "stopped" }
  /** An operator's word, by the digest of the bundle. */
  | { readonly kind: "retry"; readonly digest: string };

/** `at`: milliseconds since 1970. It decides about expiry and quarantine alone. */
export type LifeEvent = Happening & { readonly at: number };

/** The states of a bundle, as `status` and the journal call them. */
export type BundleState =
  | "offered"
  | "fetched"
  | "verified"
  | "staged"
  | "trial"
  | "deferred"
  | "confirmed"
  | "refused"
  | "reverted"
  | "superseded";

/**
 * Done after the life is persisted, one after the other: what one of them brings about is told before the next event. Each may
 * be done twice, since after a crash it is told again.
 */
export type LifeEffect =
  | { readonly kind: "fetch" | "check" | "stage" | "switch" | "announce"; readonly digest: string }
  /** `due` after so long, with jitter. */
  | { readonly kind: "retryAfter"; readonly digest: string; readonly ms: number }
  /** Offer it to the agent, and tell the next boundary. */
  | { readonly kind: "awaitBoundary"; readonly digest: string }
  /** Tell when the process has lived so long from now; in the place of what an earlier one asked for. */
  | { readonly kind: "bake"; readonly digest: string; readonly ms: number }
  /** Start the process on it; null: without a catalog. */
  | { readonly kind: "launch"; readonly bundle: LifeBundle | null }
  /** End what runs by the graceful path, if anything does, and start it once on what was last confirmed. */
  | { readonly kind: "bringBack"; readonly bundle: LifeBundle }
  /** The agent ends, or stays ended. */
  | { readonly kind: "end" }
  /** Nothing that may run under this build. */
  | { readonly kind: "refuseStart"; readonly why: Refusal }
  /** Ask the channel for its newest. */
  | { readonly kind: "ask" }
  /** To the channel. Both carry what is in use; a refusal its reason as well. */
  | {
      readonly kind: "answer";
      readonly nonce: string | null;
      readonly digest: string;
      readonly verdict: "ack" | "nack";
      readonly why: Refusal | Revert | null;
      readonly inUse: string | null;
    }
  /** To the journal: a bundle has a new state. */
  | { readonly kind: "tell"; readonly digest: string; readonly state: BundleState; readonly detail: string | null }
  /** To the operator's mailbox. */
  | {
      readonly kind: "notice";
      readonly about: "refused" | "reverted" | "ended" | "notNow";
      readonly digest: string;
      readonly reason: RefusalReason | RevertReason | "notNow";
      readonly detail: string;
      /** The end of the agent's log belongs to it. */
      readonly withLog: boolean;
    };
