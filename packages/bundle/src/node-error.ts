/** What Node says of a call that the system refused. */

/** The code of Node's own error, such as `ENOENT`; null for any other. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error ? String(error.code) : null;
}

/** The same of what the system itself refused, which has such a code as `ENOENT`; null for all else, faults of a call's arguments among them. */
export function systemCodeOf(error: unknown): string | null {
  const code = codeOf(error);
  return code !== null && /^E[A-Z0-9]+$/.test(code) ? code : null;
}
