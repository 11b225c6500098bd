/** What Node calls an error that it throws: a code such as `ENOENT`. */

/** `unknown` for what has none. Of such an error nothing else is fit to be told: its text may be somebody else's. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";
}
