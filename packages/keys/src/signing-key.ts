/** Signing keys: Ed25519 (RFC 8032), read from PKCS#8 PEM or a raw seed; public keys as SPKI PEM or 64 hex digits. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { SigningKeyError } from "./signing-key-error.ts";

declare const keyIdBrand: unique symbol;
declare const publicKeyBrand: unique symbol;

/** SHA-256 of the public key's SPKI form in DER, 64 hex digits: `openssl pkey -pubin -outform DER | sha256sum`. */
export type KeyId = string & { readonly [keyIdBrand]: true };

/** The 32 bytes of an Ed25519 public key, as 64 lower-case hex digits. */
export type PublicKey = string & { readonly [publicKeyBrand]: true };

/** Shows and serialises as its public part alone; the private one stays with Node's key object. */
export interface SigningKey {
  readonly keyId: KeyId;
  readonly publicKey: PublicKey;
  /** 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** What stands before the bytes of a key in DER (RFC 8410, 7 and 4). */
const pkcs8Head = "302e020100300506032b657004220420";
const spkiHead = "302a300506032b6570032100";

const rawForm = /^[0-9a-f]{64}$/i;

/** A new key out of the operating system's generator, with the PEM to keep of it. */
export function generateSigningKey(): { readonly key: SigningKey; readonly pem: string } {
  const { privateKey } = generateKeyPairSync("ed25519");
  return { key: asSigningKey(privateKey), pem: privateKey.export({ type: "pkcs8", format: "pem" }) as string };
}

/** Reads a private key: PKCS#8 PEM, or the 32 bytes of the seed as 64 hex digits. Throws a `SigningKeyError`. */
export function readSigningKey(text: string): SigningKey {
  const secret = text.trim();
  if (secret === "") throw new SigningKeyError("signingKeyEmpty");
  if (rawForm.test(secret)) return asSigningKey(privateKeyOf(Buffer.from(pkcs8Head + secret, "hex")));
  const kind = /^-----BEGIN ([A-Z0-9 ]+)-----/.exec(secret)?.[1];
  if (kind === undefined) throw new SigningKeyError("signingKeyUnknownForm");
  if (kind === "ENCRYPTED PRIVATE KEY") throw new SigningKeyError("signingKeyIsEncrypted");
  if (/^(?:[A-Z]+ )?PUBLIC KEY$|^CERTIFICATE$/.test(kind)) throw new SigningKeyError("signingKeyIsPublic");
  if (kind !== "PRIVATE KEY")
    throw new SigningKeyError(/PRIVATE KEY/.test(kind) ? "signingKeyWrongKind" : "signingKeyUnknownForm");
  return asSigningKey(privateKeyOf(secret));
}

/** Reads a public key: SPKI PEM or 64 hex digits. Throws a `SigningKeyError`. */
export function readPublicKey(text: string): PublicKey {
  const given = text.trim();
  if (rawForm.test(given)) return given.toLowerCase() as PublicKey;
  if (!given.startsWith("-----BEGIN PUBLIC KEY-----")) throw new SigningKeyError("publicKeyUnknownForm");
  try {
    return publicKeyOf(createPublicKey(given));
  } catch {
    throw new SigningKeyError("publicKeyUnknownForm");
  }
}

/** The id of a public key. */
export function keyIdOf(publicKey: PublicKey): KeyId {
  return hash("sha256", spki(publicKey), "hex") as KeyId;
}

/** SPKI PEM, as `openssl pkey -pubout` writes it. */
export function publicKeyPem(publicKey: PublicKey): string {
  return keyObject(publicKey).export({ type: "spki", format: "pem" }) as string;
}

/** Whether the signature is that key's over exactly this message. Anything malformed is a no. */
export function verifySignature(publicKey: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  return verifierOf(publicKey).verifies(message, signature);
}

export interface Verifier {
  readonly keyId: KeyId;
  /** As `verifySignature`. */
  verifies(message: Uint8Array, signature: Uint8Array): boolean;
}

/** For a key that verifies again and again: to make Node's own form of it takes longer than to verify. */
export function verifierOf(publicKey: PublicKey): Verifier {
  let key: KeyObject | null = null;
  return {
    keyId: keyIdOf(publicKey),
    verifies(message, signature) {
      if (signature.length !== 64) return false;
      try {
        key ??= keyObject(publicKey);
        return verify(null, message, key, signature);
      } catch {
        return false;
      }
    },
  };
}

function asSigningKey(key: KeyObject): SigningKey {
  if (key.asymmetricKeyType !== "ed25519") throw new SigningKeyError("signingKeyWrongKind");
  const publicKey = publicKeyOf(createPublicKey(key));
  return { keyId: keyIdOf(publicKey), publicKey, sign: (message) => sign(null, message, key) };
}

/** Node's own errors say what OpenSSL stumbled over; these say nothing. */
function privateKeyOf(given: string | Buffer): KeyObject {
  try {
    return typeof given === "string"
      ? createPrivateKey(given)
      : createPrivateKey({ key: given, format: "der", type: "pkcs8" });
  } catch {
    throw new SigningKeyError("signingKeyUnknownForm");
  }
}

function publicKeyOf(key: KeyObject): PublicKey {
  const der = key.export({ type: "spki", format: "der" }).toString("hex");
  if (!der.startsWith(spkiHead)) throw new SigningKeyError("publicKeyUnknownForm");
  return der.slice(spkiHead.length) as PublicKey;
}

function keyObject(publicKey: PublicKey): KeyObject {
  return createPublicKey({ key: spki(publicKey), format: "der", type: "spki" });
}

function spki(publicKey: PublicKey): Buffer {
  return Buffer.from(spkiHead + publicKey, "hex");
}
