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

const forms = "an identity key is nsec1… or 64 hex digits";

const texts: Readonly<Record<KeyErrorCode, { readonly message: string; readonly hint: string }>> = {
  keyEmpty: {
    message: "the identity key is empty",
    hint: `set the variable or fill the file that the declaration's identity.keyFrom names; ${forms}`,
  },
  keyIsPublic: {
    message: "the identity key is a public key (npub…); an identity is derived from the secret key alone",
    hint: "give the nsec1… that belongs to it",
  },
  keyIsEncrypted: {
    message: "the identity key is encrypted (ncryptsec…)",
    hint: "decrypt it with the program that made it and give the nsec1… that comes out",
  },
  keyWrongKind: {
    message: "the identity key is something else in the same notation (note1…, nprofile1… or the like)",
    hint: forms,
  },
  keyMixedCase: {
    message: "the identity key mixes upper and lower case, which bech32 does not allow",
    hint: "copy it again, as it was shown, in lower case",
  },
  keyWrongCharacter: {
    message: "the identity key has a character that is none of its alphabet",
    hint: "copy it again: bech32 has no b, i, o and 1 after the first 1, hex has 0 to 9 and a to f only",
  },
  keyWrongChecksum: {
    message: "the identity key does not match its own checksum",
    hint: "a character was changed, lost or added: copy it again",
  },
  keyWrongLength: {
    message: "the identity key has the wrong length",
    hint: `${forms}; copy it again, whole and without anything around it`,
  },
  keyUnknownForm: {
    message: "the identity key has no form that is known",
    hint: forms,
  },
  keyZero: {
    message: "the identity key is zero, which is no key",
    hint: "give the agent a key of its own, made by a program for Nostr or secp256k1 keys",
  },
  keyOutOfRange: {
    message: "the identity key is not below the order of secp256k1, which is no key",
    hint: "give the agent a key of its own, made by a program for Nostr or secp256k1 keys",
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
