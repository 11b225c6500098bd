/** Signed envelopes: DSSE v1 (secure-systems-lab), with Ed25519 signatures over the pre-authentication encoding. */
import { type KeyId, type PublicKey, type SigningKey, type Verifier, verifierOf } from "@moorage/keys";
import { BundleError, fileFlaw } from "./bundle-error.ts";
import { readDocument } from "./canonical-document.ts";
import { type Field, fail, fieldsOf, listOf, textOf } from "./fields.ts";

export interface EnvelopeSignature {
  /** A hint alone: it narrows which keys are tried. Null where there is none. */
  readonly keyId: string | null;
  readonly signature: Uint8Array;
}

export interface Envelope {
  readonly payloadType: string;
  readonly payload: Uint8Array;
  readonly signatures: readonly EnvelopeSignature[];
}

/** More is no envelope of ours: whoever serves it does not end. In bytes, and in signatures. */
export const envelopeLimits: { readonly bytes: number; readonly signatures: number } = {
  bytes: 6 * 1024 * 1024,
  signatures: 32,
};

/** The bytes that are signed: DSSE protocol 1.0, "Signature Definition". */
export function preAuthenticationEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = Buffer.from(payloadType, "utf8");
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} `), type, Buffer.from(` ${payload.length} `), payload]);
}

/** Signed by each of the keys. */
export function signEnvelope(payloadType: string, payload: Uint8Array, keys: readonly SigningKey[]): Envelope {
  return addSignatures({ payloadType, payload, signatures: [] }, keys);
}

/** The same payload with more signatures; a key that has signed already does not sign again, if what it signed is this. */
export function addSignatures(envelope: Envelope, keys: readonly SigningKey[]): Envelope {
  const message = preAuthenticationEncoding(envelope.payloadType, envelope.payload);
  let signatures = envelope.signatures;
  for (const key of keys) {
    const { keyId, publicKey } = key;
    if (signersOf({ ...envelope, signatures }, [publicKey]).size > 0) continue;
    // Whatever stands under its name is none of its signatures.
    signatures = [...signatures.filter((other) => other.keyId !== keyId), { keyId, signature: key.sign(message) }];
  }
  return { ...envelope, signatures };
}

/** As JSON, on one line. Throws a `BundleError` for what nobody would read. */
export function envelopeBytes({ payloadType, payload, signatures }: Envelope): Uint8Array {
  const json = {
    payloadType,
    payload: base64(payload),
    signatures: signatures.map(({ keyId, signature }) => ({
      ...(keyId === null ? {} : { keyid: keyId }),
      sig: base64(signature),
    })),
  };
  const bytes = Buffer.from(`${JSON.stringify(json)}\n`, "utf8");
  if (bytes.length > envelopeLimits.bytes)
    throw tooLarge("shorten the paths of the catalog, or have fewer files in it");
  return bytes;
}

/** Throws a `BundleError` that names the place. */
export function parseEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length > envelopeLimits.bytes) throw tooLarge("this is no bundle of Moorage's");
  return readDocument(bytes, "envelope", (root) => {
    const { payloadType, payload, signatures } = fieldsOf(root, ["payloadType", "payload", "signatures"]);
    return {
      payloadType: textOf(payloadType),
      payload: fromBase64(payload),
      signatures: listOf(signatures, envelopeLimits.signatures).map(readSignature),
    };
  });
}

/** Which of the keys have signed: each counts once, however often it signed. */
export function signersOf(envelope: Envelope, keys: readonly PublicKey[]): ReadonlySet<KeyId> {
  return signersAmong(envelope, keys.map(verifierOf));
}

/** As `signersOf`, for keys that verify again and again. */
export function signersAmong(envelope: Envelope, verifiers: readonly Verifier[]): ReadonlySet<KeyId> {
  const message = preAuthenticationEncoding(envelope.payloadType, envelope.payload);
  const signers = new Set<KeyId>();
  for (const { keyId, signature } of envelope.signatures)
    for (const { keyId: id, verifies } of verifiers)
      if ((keyId === null || keyId === id) && !signers.has(id) && verifies(message, signature)) signers.add(id);
  return signers;
}

function tooLarge(hint: string): BundleError {
  const message = `is larger than ${envelopeLimits.bytes} bytes`;
  return new BundleError("not valid", [fileFlaw("envelopeTooLarge", "envelope", message, hint)]);
}

function readSignature(field: Field): EnvelopeSignature {
  const { sig, keyid } = fieldsOf(field, ["sig"], ["keyid"]);
  const keyId = keyid === undefined ? "" : textOf(keyid);
  // An empty hint is the same as none.
  return { keyId: keyId === "" ? null : keyId, signature: fromBase64(sig) };
}

/** Standard or URL-safe, as the protocol asks of readers; nothing that is left over, nothing in between. */
function fromBase64(field: Field): Uint8Array {
  const text = textOf(field);
  const bytes = Buffer.from(text, "base64");
  const standard = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  return bytes.toString("base64").replace(/=+$/, "") === standard ? bytes : fail(field, "notBase64", "is no Base64");
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}
