/** What can be wrong with a text that should be an identity key, in words that hold no part of it. */

export type KeyErrorCode =
  | "keyEmpty"
  | "keyIsPublic"
  | "keyIsEncrypted"
  | "keyWrongKind"
  | "keyMixedCase"
  | "keyWrongCharacter"
  | "keyWrongChecksum"
  | "keyWrongLength"
  | "keyUnknownForm"
  | "keyZero"
  | "keyOutOfRange";

const forms = "An identity key is nsec1… or 64 hex digits.";

const texts: Readonly<Record<KeyErrorCode, { readonly message: string; readonly hint: string }>> = {
  keyEmpty: {
    message: "The identity key is empty.",
    hint: `Set the variable or fill the file that the declaration's identity.keyFrom names. ${forms}`,
  },
  keyIsPublic: {
    message: "The identity key is a public key (npub…); an identity is derived from the secret key alone.",
    hint: "Give the nsec1… that belongs to it.",
  },
  keyIsEncrypted: {
    message: "The identity key is encrypted (ncryptsec…).",
    hint: "Decrypt it with the program that made it and give the nsec1… that comes out.",
  },
  keyWrongKind: {
    message: "The identity key is something else in the same notation (note1…, nprofile1… or the like).",
    hint: forms,
  },
  keyMixedCase: {
    message: "The identity key mixes upper and lower case, which bech32 does not allow.",
    hint: "Copy it again, as it was shown, in lower case.",
  },
  keyWrongCharacter: {
    message: "The identity key has a character that is none of its alphabet.",
    hint: "Copy it again: bech32 has no b, i, o and 1 after the first 1, hex has 0 to 9 and a to f only.",
  },
  keyWrongChecksum: {
    message: "The identity key does not match its own checksum.",
    hint: "A character was changed, lost or added: copy it again.",
  },
  keyWrongLength: {
    message: "The identity key has the wrong length.",
    hint: `${forms} Copy it again, whole and without anything around it.`,
  },
  keyUnknownForm: {
    message: "The identity key has no form that is known.",
    hint: forms,
  },
  keyZero: {
    message: "The identity key is zero, which is no key.",
    hint: "Give the agent a key of its own, made by a program for Nostr or secp256k1 keys.",
  },
  keyOutOfRange: {
    message: "The identity key is not below the order of secp256k1, which is no key.",
    hint: "Give the agent a key of its own, made by a program for Nostr or secp256k1 keys.",
  },
};

/** Neither message nor hint depends on the key, but for how long it is. */
export class KeyError extends Error {
  readonly code: KeyErrorCode;
  readonly hint: string;

  constructor(code: KeyErrorCode, detail?: string) {
    super(detail ?? texts[code].message);
    this.name = "KeyError";
    this.code = code;
    this.hint = texts[code].hint;
  }
}
