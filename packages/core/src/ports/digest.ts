/** SHA-256 over bytes or over the canonical form of plain data; both come from outside, so that `core` needs no library. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export interface Digest {
  /** SHA-256 of the text's UTF-8 bytes, as 64 lower-case hex digits. */
  text(value: string): string;
  /** SHA-256 of the RFC 8785 canonical form, as 64 lower-case hex digits. */
  canonical(value: Json): string;
}
