/** The only source of chance: tokens that nobody else draws, and jitter. */

export interface Random {
  /** A token of that many lower-case hex digits. */
  token(hexDigits: number): string;
  /** A number in [0, 1). */
  fraction(): number;
}
