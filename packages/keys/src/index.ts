/** What `keys` offers: identities out of secret keys, and the Digest and Random ports. */
export * from "./canonical-form.ts";
export * from "./digest.ts";
export * from "./identity-key.ts";
export * from "./key-error.ts";
export * from "./random.ts";
export * from "./signing-key.ts";
export * from "./signing-key-error.ts";
export * from "./signing-key-file.ts";
