/** The smallest set of operations, in domain words, that lets a start and a stop run; what a substrate cannot do cannot be said here. */

import type { Identity } from "../deploy/identity.ts";
import type { IntentTemplate } from "../deploy/intent.ts";
import type { Marks } from "../deploy/marks.ts";
import type { Fence, ObservedInstance, ObservedSecret } from "../deploy/observation.ts";
import type { Refusal } from "../deploy/refusal.ts";
import type { Abort } from "./abort.ts";

/** Where a follow may start from. Opaque: only ever handed back to the substrate that gave it. */
export type Version = string;

/** No answer, or one that says "later". Nothing may be concluded about the world. */
export interface Unavailable {
  readonly kind: "unavailable";
  /** Redacted words: what did not answer. */
  readonly detail: string;
  /** Milliseconds that the other side asked for. */
  readonly retryAfterMs: number | null;
  /** Somebody is there and asks for patience: that it is silent nobody can say. */
  readonly busy?: true;
}

export interface Refused {
  readonly kind: "refused";
  readonly refusal: Refusal;
}

/** The request was sent and its answer was lost: the effect may or may not be there. */
export interface UnknownOutcome {
  readonly kind: "unknownOutcome";
  readonly detail: string;
}

export interface Reading {
  readonly kind: "read";
  readonly instances: readonly ObservedInstance[];
  /** The list's version: a follow from here misses nothing. */
  readonly version: Version;
}

export interface SecretListing {
  readonly kind: "read";
  readonly secrets: readonly ObservedSecret[];
  /** Milliseconds since 1970 from this very response; null when absent or unreadable. */
  readonly serverTime: number | null;
}

export interface SecretSpec extends Marks {
  readonly name: string;
  /** Values. They reach the Secret and the process environment, and nothing else. */
  readonly data: ReadonlyMap<string, string>;
}

export interface InstanceSpec extends Marks {
  readonly name: string;
  /** The Secret of the attempt; an instance references exactly one. */
  readonly secret: string;
  readonly template: IntentTemplate;
}

export type SecretCreation =
  | { readonly kind: "created"; readonly fence: Fence }
  | { readonly kind: "alreadyExists" }
  | { readonly kind: "scopeMissing" }
  | Refused
  | UnknownOutcome
  | Unavailable;

export type InstanceCreation =
  | { readonly kind: "created" }
  | { readonly kind: "alreadyExists" }
  | { readonly kind: "scopeMissing" }
  | Refused
  | UnknownOutcome
  | Unavailable;

export type Removal =
  | { readonly kind: "accepted" }
  | { readonly kind: "notFound" }
  | { readonly kind: "conflict" }
  | Refused
  | UnknownOutcome
  | Unavailable;

/** What a follow tells. A hint never authorises anything destructive: read again for that. */
export type Hint =
  | { readonly kind: "changed"; readonly instance: ObservedInstance }
  /** Gone. `last` is the object as it was when it was removed. */
  | { readonly kind: "removed"; readonly last: ObservedInstance }
  /** The follow is over (expired version, end of stream, throttled, network): read again. */
  | {
      readonly kind: "over";
      readonly detail: string;
      readonly retryAfterMs: number | null;
      /** It ended because following is refused: a call then only reads. */
      readonly refusal?: Refusal;
    };

export interface Substrate {
  /** The scope in words, such as a namespace or a state directory. */
  readonly scope: string;
  /** Creates the scope where it is missing. Only called after a create has said so. */
  ensureScope(): Promise<{ readonly kind: "ready" } | Refused | Unavailable>;
  /** Most recent read of everything that carries the identity's selector. */
  readInstances(identity: Identity): Promise<Reading | Refused | Unavailable>;
  /** What stands under a name, whoever made it. */
  readName(
    name: string,
  ): Promise<
    | { readonly kind: "found"; readonly instance: ObservedInstance }
    | { readonly kind: "absent" }
    | Refused
    | Unavailable
  >;
  listSecrets(identity: Identity): Promise<SecretListing | Refused | Unavailable>;
  /** Most recent read. */
  secretExists(
    name: string,
  ): Promise<{ readonly kind: "present" } | { readonly kind: "absent" } | Refused | Unavailable>;
  createSecret(spec: SecretSpec): Promise<SecretCreation>;
  createInstance(spec: InstanceSpec): Promise<InstanceCreation>;
  /** Marks for deletion with the object's own grace; gone only when a read no longer shows it. */
  deleteInstance(name: string, fence: Fence): Promise<Removal>;
  deleteSecret(name: string, fence: Fence): Promise<Removal>;
  /** Changes of one identity's instances after `from`. Ends, without an error, when the signal aborts. */
  follow(identity: Identity, from: Version, signal: Abort): AsyncIterable<Hint>;
}

/** Everything of ours in the scope, for people: status, stop by recorded name. No start uses it. */
export interface Inventory {
  readScope(): Promise<Reading | Refused | Unavailable>;
}
