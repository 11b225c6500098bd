/** What can be wrong with a signing key or its file, in words that hold no part of the key. */

export type SigningKeyErrorCode =
  | "signingKeyEmpty"
  | "signingKeyIsPublic"
  | "signingKeyIsEncrypted"
  | "signingKeyWrongKind"
  | "signingKeyUnknownForm"
  | "signingKeyOpenToOthers"
  | "signingKeyOtherOwner"
  | "signingKeyNoFile"
  | "publicKeyUnknownForm";

const forms = "a signing key is an Ed25519 key as PKCS#8 PEM (`openssl genpkey -algorithm ed25519`) or 64 hex digits";

const texts: Readonly<Record<SigningKeyErrorCode, { readonly message: string; readonly hint: string }>> = {
  signingKeyEmpty: {
    message: "the signing key is empty",
    hint: "bring the key back from a backup, or make another one",
  },
  signingKeyIsPublic: {
    message: "the signing key is a public key, which signs nothing",
    hint: "give the private key that belongs to it",
  },
  signingKeyIsEncrypted: {
    message: "the signing key is encrypted",
    hint: "decrypt it first: `openssl pkey -in KEY -out NEW`",
  },
  signingKeyWrongKind: { message: "the signing key is not an Ed25519 key", hint: forms },
  signingKeyUnknownForm: { message: "the signing key has no form that is known", hint: forms },
  signingKeyOpenToOthers: {
    message: "the file of the signing key can be read or written by others than its owner",
    hint: "chmod 600 it, and think about who may have read it",
  },
  signingKeyOtherOwner: {
    message: "the file of the signing key belongs to somebody else",
    hint: "run the command as its owner, or have the file given to you",
  },
  signingKeyNoFile: {
    message: "what lies in the place of the signing key is not a file",
    hint: "move it away, and put the key there",
  },
  publicKeyUnknownForm: {
    message: "the public key is not that of an Ed25519 key",
    hint: "a public key is SPKI PEM (`openssl pkey -pubout`) or 64 hex digits",
  },
};

/** Neither message nor hint depends on the key. */
export class SigningKeyError extends Error {
  readonly code: SigningKeyErrorCode;
  readonly hint: string;

  constructor(code: SigningKeyErrorCode, place?: string) {
    super(place === undefined ? texts[code].message : `${place}: ${texts[code].message}`);
    this.name = "SigningKeyError";
    this.code = code;
    this.hint = texts[code].hint;
  }
}
