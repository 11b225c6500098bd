/** What Node says of a call that the system refused. */

/** The code of Node's own error, such as `ENOENT`; null for any other. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error ? String(error.code) : null;
}
