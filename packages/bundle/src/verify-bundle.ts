/** The one way from somebody else's bytes to a bundle that may be stored or used: every entry path takes it, whole. */
import { hash } from "node:crypto";
import {
  type Axis,
  type Channel,
  evaluateBundle,
  type Fingerprint,
  type Floor,
  judgeManifest,
  type OrderFault,
  orderTexts,
} from "@moorage/core";
import type { KeyId, SigningKey } from "@moorage/keys";
import { BundleError, fileFlaw, shown } from "./bundle-error.ts";
import { type BundleFault, orderHints } from "./bundle-fault.ts";
import type { Component } from "./catalog.ts";
import { type Envelope, parseEnvelope, signEnvelope } from "./dsse.ts";
import { KnownManifests } from "./known-manifests.ts";
import { type Manifest, manifestBytes } from "./manifest.ts";
import type { PinnedRoot } from "./trust-root.ts";

export const bundlePayloadType = "application/vnd.moorage.bundle.v1+json";

declare const verifiedBrand: unique symbol;

/** Made by `verifyBundle` alone. */
export interface VerifiedBundle {
  readonly [verifiedBrand]: true;
  readonly manifest: Manifest;
  /** `sha256:<hex>` of the manifest's bytes. */
  readonly digest: string;
  readonly signers: ReadonlySet<KeyId>;
  /** The envelope as it came. */
  readonly envelope: Uint8Array;
}

/** Gives the content of a component, at most one byte more than its size; null when there is none. */
export type PayloadReader = (component: Component) => Uint8Array | null;

export interface VerifyOptions {
  /** Pinned by its digest. */
  readonly root: PinnedRoot;
  readonly channel: Channel;
  /** The highest that was accepted in this channel; `bareFloor` before the first. */
  readonly floor: Floor;
  /**
   * Digests of bundles that were accepted here before: to fall back on one is no rollback, and it does not expire any more.
   * All else is looked at as with any other.
   */
  readonly accepted: ReadonlySet<string>;
  /** The running build's; null where no build takes part, as when publishing. */
  readonly running: Fingerprint | null;
  /** Milliseconds since 1970, fixed at the start of a check. */
  readonly now: number;
  readonly payload: PayloadReader;
}

/** As `VerifyOptions`, for who holds many bundles. */
export interface CheckOptions extends Omit<VerifyOptions, "payload"> {
  readonly manifests: KnownManifests;
  /** The content of a manifest, once that is found to be good. */
  readonly payloadOf: (manifest: Manifest) => PayloadReader;
}

export type BundleVerification =
  | { readonly kind: "verified"; readonly bundle: VerifiedBundle }
  | {
      readonly kind: "refused";
      readonly reason: BundleFault;
      readonly message: string;
      readonly hint: string;
      /** What was expected and what was there, where that is one value each. */
      readonly expected: string | number | null;
      readonly actual: string | number | null;
      /** Of `incompatible` alone. */
      readonly axis: Axis | null;
      /** Of the manifest, once it is known; a refusal is kept under it. */
      readonly digest: string | null;
    };

/** The envelope of a manifest, signed. To ask for a signature and not to get one is a `BundleError`, never a success. */
export function signManifest(manifest: Manifest, keys: readonly SigningKey[]): Envelope {
  if (keys.length === 0)
    throw new BundleError("not signed", [
      fileFlaw("noKey", "bundle", "there is no key to sign it with", "`moorage keys init` makes one"),
    ]);
  return signEnvelope(bundlePayloadType, manifestBytes(manifest), keys);
}

/**
 * In this order: envelope, signatures, root, channel, sequence, expiry, runtime target, payload. Never throws for what the
 * bytes hold; whatever is wrong is the reason of a refusal.
 */
export function verifyBundle(bytes: Uint8Array, { payload, ...options }: VerifyOptions): BundleVerification {
  return checkBundle(bytes, { ...options, manifests: new KnownManifests(), payloadOf: () => payload });
}

/** As `verifyBundle`. */
export function checkBundle(bytes: Uint8Array, options: CheckOptions): BundleVerification {
  const check = new BundleCheck(options);
  try {
    return { kind: "verified", bundle: check.bundle(bytes) };
  } catch (error) {
    if (error instanceof Refused) return { kind: "refused", ...error.why, digest: check.digest };
    throw error;
  }
}

type Why = Omit<Extract<BundleVerification, { kind: "refused" }>, "kind" | "digest">;

class Refused extends Error {
  readonly why: Why;

  constructor(why: Why) {
    super(why.message);
    this.why = why;
  }
}

/** Lives for one check. */
class BundleCheck {
  digest: string | null = null;
  readonly #options: CheckOptions;

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  bundle(bytes: Uint8Array): VerifiedBundle {
    const envelope = asRefusal("envelopeInvalid", () => parseEnvelope(bytes));
    const signers = this.#signatures(envelope);
    // From here on the bytes are those of somebody whom the root trusts.
    const { manifest, digest } = asRefusal("manifestInvalid", () => this.#options.manifests.read(envelope.payload));
    this.digest = digest;
    const known = this.#options.accepted.has(digest);
    this.#root(manifest, known);
    this.#order(manifest, digest, known);
    this.#target(manifest);
    const payload = this.#options.payloadOf(manifest);
    for (const component of manifest.components) checkContent(component, payload(component));
    return { manifest, digest, signers, envelope: bytes } as VerifiedBundle;
  }

  #signatures(envelope: Envelope): ReadonlySet<KeyId> {
    const { root } = this.#options;
    if (envelope.payloadType !== bundlePayloadType)
      refuse(
        "envelopeInvalid",
        `the envelope holds ${shown(envelope.payloadType)}, and this version of Moorage reads ${bundlePayloadType}`,
        "give the bundle's own file, or have both sides at one version of Moorage",
        { expected: bundlePayloadType, actual: envelope.payloadType },
      );
    if (envelope.signatures.length === 0)
      refuse("unsigned", "the bundle has no signature", "sign it and publish it again");
    const signers = root.signersOf(envelope);
    if (signers.size === 0)
      refuse(
        "wrongKey",
        "no signature of the bundle is one of a key that is trusted here",
        "sign it with a trusted key",
      );
    if (signers.size < root.root.threshold)
      refuse(
        "thresholdNotMet",
        "the bundle has fewer signatures than the trust root asks for",
        "have it signed by more",
        {
          expected: root.root.threshold,
          actual: signers.size,
        },
      );
    return signers;
  }

  #root({ rootVersion }: Manifest, known: boolean): void {
    const { floor, now } = this.#options;
    const { root } = this.#options.root;
    if (root.version < floor.rootVersion)
      refuse("rootRollback", "the trust root is older than the one that was in use", "bring the newer root back", {
        expected: floor.rootVersion,
        actual: root.version,
      });
    if (known) return;
    if (rootVersion !== root.version)
      refuse("otherRoot", "the bundle was signed for another version of the trust root", "sign it for this one", {
        expected: root.version,
        actual: rootVersion,
      });
    if (root.expires !== null && now >= Date.parse(root.expires))
      refuse(
        "rootExpired",
        `the trust root has expired at ${root.expires}`,
        "`moorage keys rotate` makes the next one",
      );
  }

  #order(manifest: Manifest, digest: string, known: boolean): void {
    const { channel, floor, now } = this.#options;
    const { expires } = manifest;
    const expiresAt = expires === null ? null : Date.parse(expires);
    const verdict = judgeManifest(channel, floor, { ...manifest, digest, expiresAt }, now);
    if (verdict.kind !== "refuse") return;
    const { fault } = verdict;
    // To fall back on what was accepted here is no rollback, and it does not expire; it stays in its channel all the same.
    if (known && fault !== "otherChannel") return;
    refuse(
      fault,
      `the bundle is refused: ${orderTexts[fault]}`,
      orderHints[fault],
      this.#orderValues(fault, manifest, digest),
    );
  }

  #orderValues(fault: OrderFault, manifest: Manifest, digest: string): Values | null {
    const { channel, floor } = this.#options;
    switch (fault) {
      case "otherChannel":
        return { expected: channelText(channel), actual: channelText(manifest.channel) };
      case "rollback":
        return { expected: `above ${floor.sequence}`, actual: manifest.sequence };
      case "jump":
        return { expected: `not far above ${floor.sequence}`, actual: manifest.sequence };
      case "equivocation":
        return { expected: floor.digest ?? "", actual: digest };
      case "parent":
        return { expected: floor.digest ?? "none", actual: manifest.parent ?? "none" };
      case "rootRollback":
        return { expected: floor.rootVersion, actual: manifest.rootVersion };
      case "expired":
      case "sequence":
        return null;
      default:
        return fault satisfies never;
    }
  }

  #target({ target, catalogHash }: Manifest): void {
    const { running } = this.#options;
    if (running === null) return;
    const verdict = evaluateBundle({ target, catalogHash }, running);
    if (verdict.tier === "incompatible")
      refuse(
        "incompatible",
        verdict.message,
        "build the bundle for this runtime, or start the build that it is for",
        { expected: verdict.expected, actual: verdict.actual },
        verdict.axis,
      );
  }
}

function checkContent(component: Component, bytes: Uint8Array | null): void {
  const { path, size, sha256 } = component;
  const again = "fetch the bundle again";
  if (bytes === null) refuse("payloadMissing", `${path} of the bundle is not there`, again);
  if (bytes.length > size)
    refuse("payloadTooLong", `${path} of the bundle is longer than was signed`, again, {
      expected: size,
      actual: `${bytes.length} or more`,
    });
  const actual = hash("sha256", bytes, "hex");
  if (actual !== sha256)
    refuse("payloadWrong", `${path} of the bundle is not what was signed`, again, { expected: sha256, actual });
}

interface Values {
  readonly expected: string | number;
  readonly actual: string | number;
}

function channelText({ fleet, catalog }: Channel): string {
  return `${fleet}/${catalog}`;
}

function refuse(
  reason: BundleFault,
  message: string,
  hint: string,
  values: Values | null = null,
  axis: Axis | null = null,
): never {
  throw new Refused({
    reason,
    message,
    hint,
    expected: values?.expected ?? null,
    actual: values?.actual ?? null,
    axis,
  });
}

function asRefusal<Value>(reason: BundleFault, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof BundleError) refuse(reason, error.message, error.hint);
    throw error;
  }
}
