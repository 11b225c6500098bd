/** What makes an agent itself: 64 hex digits, derived before the first read; the names and the selector that follow from them. */
import type { Digest } from "../ports/digest.ts";
import type { BindingProfile } from "./profile.ts";

declare const identityBrand: unique symbol;
declare const attemptBrand: unique symbol;

/** All 64 lower-case hex digits; nothing shorter ever decides. */
export type Identity = string & { readonly [identityBrand]: true };

/** The random token of one create attempt, in lower-case hex. */
export type Attempt = string & { readonly [attemptBrand]: true };

const nameScheme = "moorage/identity/v1\0";

/** The identity in a text, or undefined when it is not exactly 64 lower-case hex digits. */
export function parseIdentity(text: string): Identity | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as Identity) : undefined;
}

/** The identity of an agent that has no key: the scope is no part of it, so a state directory may be moved. */
export function nameIdentity(name: string, digest: Digest): Identity {
  return digest.text(nameScheme + name) as Identity;
}

/** The attempt in a text, or undefined when it is no hex token. */
export function parseAttempt(text: string): Attempt | undefined {
  return /^[0-9a-f]{8,64}$/.test(text) ? (text as Attempt) : undefined;
}

/** The deterministic name of the instance, which is the election: `<prefix>-<12 hex>`. */
export function instanceName(profile: BindingProfile, identity: Identity): string {
  return `${profile.prefix}-${identity.slice(0, 12)}`;
}

/** The name of the Secret of one attempt: `<prefix>-<12 hex>-<attempt>`. */
export function secretName(profile: BindingProfile, identity: Identity, attempt: Attempt): string {
  return `${instanceName(profile, identity)}-${attempt}`;
}

/** The attempt that a Secret's name tells, or undefined when it is not a name of this identity's. */
export function attemptOfSecret(profile: BindingProfile, identity: Identity, name: string): Attempt | undefined {
  const prefix = `${instanceName(profile, identity)}-`;
  return name.startsWith(prefix) ? parseAttempt(name.slice(prefix.length)) : undefined;
}

/** The value of the label that lists select by: 32 digits, since label values end at 63 characters. */
export function selectorValue(identity: Identity): string {
  return identity.slice(0, 32);
}
