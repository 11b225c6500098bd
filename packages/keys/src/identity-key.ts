/** Identity keys: a secp256k1 secret key as nsec1… (NIP-19, bech32) or 64 hex digits, and the identity that follows from it. */
import { type Identity, parseIdentity } from "@moorage/core";
import { KeyError } from "./key-error.ts";
import { xOnlyPublicKey } from "./x-only-key.ts";

/** The order of secp256k1 (SEC 2, 2.4.1): a key is above zero and below it. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const hexDigits = 64;

/**
 * The identity of a secret key: its x-only public key (BIP 340), 64 lower-case hex digits. White space around the key
 * counts for nothing. Rejects with a `KeyError`, never with anything that holds a part of the key.
 */
export async function keyIdentity(secret: string): Promise<Identity> {
  const key = await decodeKey(secret.trim());
  const value = BigInt(`0x${toHex(key)}`);
  if (value === 0n) throw new KeyError("keyZero");
  if (value >= order) throw new KeyError("keyOutOfRange");
  const identity = parseIdentity(toHex(await xOnlyPublicKey(key)));
  if (identity === undefined) throw new KeyError("keyUnknownForm");
  return identity;
}

async function decodeKey(text: string): Promise<Uint8Array> {
  if (text === "") throw new KeyError("keyEmpty");
  const kind = /^(n[a-z]{2,12})1/i.exec(text)?.[1]?.toLowerCase();
  if (kind === undefined) return decodeHex(text);
  switch (kind) {
    case "nsec":
      return decodeBech32(text);
    case "npub":
      throw new KeyError("keyIsPublic");
    case "ncryptsec":
      throw new KeyError("keyIsEncrypted");
    case "note":
    case "nprofile":
    case "nevent":
    case "naddr":
    case "nrelay":
      throw new KeyError("keyWrongKind");
    default:
      throw new KeyError("keyUnknownForm");
  }
}

function decodeHex(text: string): Uint8Array {
  if (/^[0-9a-f]+$/i.test(text)) {
    if (text.length !== hexDigits)
      throw new KeyError("keyWrongLength", `the identity key has ${text.length} hex digits; it needs ${hexDigits}`);
    return new Uint8Array(Buffer.from(text, "hex"));
  }
  throw new KeyError(text.length === hexDigits ? "keyWrongCharacter" : "keyUnknownForm");
}

async function decodeBech32(text: string): Promise<Uint8Array> {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) throw new KeyError("keyMixedCase");
  const lower = text.toLowerCase();
  if (!/^nsec1[02-9ac-hj-np-z]+$/.test(lower)) throw new KeyError("keyWrongCharacter");
  const { bech32 } = await import("@scure/base");
  // The library's errors quote the text; this form has none.
  const decoded = bech32.decodeUnsafe(lower, false);
  if (decoded === undefined) throw new KeyError("keyWrongChecksum");
  const bytes = bech32.fromWordsUnsafe(decoded.words);
  if (!(bytes instanceof Uint8Array) || bytes.length !== 32) throw new KeyError("keyWrongLength");
  return bytes;
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
