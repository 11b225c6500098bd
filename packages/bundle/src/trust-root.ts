/** The trust root: whose signatures count, how many of them it takes, and how one root hands over to the next. */
import { hash } from "node:crypto";
import type { Json } from "@moorage/core";
import {
  type KeyId,
  keyIdOf,
  type PublicKey,
  readPublicKey,
  type SigningKey,
  type Verifier,
  verifierOf,
} from "@moorage/keys";
import { BundleError, fileFlaw } from "./bundle-error.ts";
import { canonicalBytes, readCanonical } from "./canonical-document.ts";
import { type Envelope, parseEnvelope, signEnvelope, signersAmong } from "./dsse.ts";
import {
  checkFormat,
  type Field,
  fail,
  fieldsOf,
  hexDigits,
  instant,
  listOf,
  oneOf,
  orNull,
  wholeNumber,
} from "./fields.ts";
import { greatestSequence } from "./manifest.ts";

const rootFormat = "moorage.dev/root/v1";
const rootPayloadType = "application/vnd.moorage.root.v1+json";
const mostKeys = 32;

export interface TrustRoot {
  readonly format: typeof rootFormat;
  /** From 1; each root is its predecessor's plus one. */
  readonly version: number;
  /** Signatures of different keys that it takes. */
  readonly threshold: number;
  /** Sorted by key id. */
  readonly keys: readonly RootKey[];
  /** UTC with milliseconds; null: never. */
  readonly expires: string | null;
}

interface RootKey {
  readonly keyId: KeyId;
  readonly scheme: "ed25519";
  /** 64 hex digits. */
  readonly publicKey: PublicKey;
}

/** A root whose own signatures hold, with the digest that is pinned. */
export class PinnedRoot {
  readonly root: TrustRoot;
  /** `sha256:<hex>` of its canonical bytes. */
  readonly digest: string;
  #verifiers: readonly Verifier[] | null = null;

  constructor(root: TrustRoot) {
    this.root = root;
    this.digest = rootDigest(root);
  }

  /** Which of its keys have signed. */
  signersOf(envelope: Envelope): ReadonlySet<KeyId> {
    this.#verifiers ??= publicKeysOf(this.root).map(verifierOf);
    return signersAmong(envelope, this.#verifiers);
  }
}

export function trustRoot(options: {
  readonly version: number;
  readonly threshold: number;
  readonly keys: readonly PublicKey[];
  readonly expires: string | null;
}): TrustRoot {
  const keys = [...new Set(options.keys)]
    .map((publicKey): RootKey => ({ keyId: keyIdOf(publicKey), scheme: "ed25519", publicKey }))
    .sort((one, other) => (one.keyId < other.keyId ? -1 : 1));
  const { version, threshold, expires } = options;
  // What could not be read back is not made.
  return parseRoot(canonicalBytes({ format: rootFormat, version, threshold, keys, expires } as unknown as Json));
}

export function rootDigest(root: TrustRoot): string {
  return `sha256:${hash("sha256", canonicalBytes(root as unknown as Json), "hex")}`;
}

/** Signed by keys of its own; and by keys of its predecessor, where there is one. */
export function signRoot(root: TrustRoot, keys: readonly SigningKey[]): Envelope {
  return signEnvelope(rootPayloadType, canonicalBytes(root as unknown as Json), keys);
}

/** The root that was pinned, and no other. Throws a `BundleError`. */
export function openTrustRoot(envelope: Uint8Array, pin: string): PinnedRoot {
  const opened = readRoot(envelope);
  if (opened.digest !== pin) throw refused("rootNotPinned", "is not the one that is pinned here");
  return opened;
}

/** A root that nobody has pinned yet: its own signatures hold, and whoever calls decides to pin it. Throws a `BundleError`. */
export function readRoot(bytes: Uint8Array): PinnedRoot {
  return selfSigned(parseEnvelope(bytes));
}

/** The next root, signed by enough keys of both: a step at a time, so that no version can lock anybody out. Throws a `BundleError`. */
export function nextRoot(current: PinnedRoot, bytes: Uint8Array): PinnedRoot {
  const envelope = parseEnvelope(bytes);
  const next = selfSigned(envelope);
  if (next.root.version !== current.root.version + 1)
    throw refused("rootVersion", `has version ${next.root.version}, and the next one is ${current.root.version + 1}`);
  if (!enoughSigned(current, envelope))
    throw refused("rootNotHandedOver", "is not signed by enough keys of the root before it");
  return next;
}

function selfSigned(envelope: Envelope): PinnedRoot {
  if (envelope.payloadType !== rootPayloadType) throw refused("rootType", "is an envelope of something else");
  const pinned = new PinnedRoot(parseRoot(envelope.payload));
  if (!enoughSigned(pinned, envelope)) throw refused("rootUnsigned", "is not signed by enough of its own keys");
  return pinned;
}

function enoughSigned(pinned: PinnedRoot, envelope: Envelope): boolean {
  return pinned.signersOf(envelope).size >= pinned.root.threshold;
}

export function publicKeysOf(root: TrustRoot): readonly PublicKey[] {
  return root.keys.map(({ publicKey }) => publicKey);
}

function parseRoot(bytes: Uint8Array): TrustRoot {
  return readCanonical(bytes, "root", (root) => {
    checkFormat(root, rootFormat);
    const fields = fieldsOf(root, ["format", "version", "threshold", "keys", "expires"]);
    const keys = listOf(fields.keys, mostKeys).map(readKey);
    for (const [index, { keyId }] of keys.entries())
      if (index > 0 && (keys[index - 1]?.keyId ?? "") >= keyId)
        fail(fields.keys, "notSorted", "is not sorted by key id, or names a key twice");
    return {
      format: oneOf(fields.format, [rootFormat]),
      version: wholeNumber(fields.version, 1, greatestSequence),
      threshold: wholeNumber(fields.threshold, 1, keys.length),
      keys,
      expires: orNull(fields.expires, instant),
    };
  });
}

function readKey(field: Field): RootKey {
  const { keyId, scheme, publicKey } = fieldsOf(field, ["keyId", "scheme", "publicKey"]);
  const key = readPublicKey(hexDigits(publicKey));
  if (hexDigits(keyId) !== keyIdOf(key)) fail(keyId, "malformedField", "is not the id of the public key");
  return { keyId: keyIdOf(key), scheme: oneOf(scheme, ["ed25519"]), publicKey: key };
}

function refused(code: string, message: string): BundleError {
  const hint =
    "compare the digest of the root with whoever publishes; `moorage keys list` shows the one that is pinned";
  return new BundleError("the trust root is refused", [fileFlaw(code, "root", message, hint)]);
}
