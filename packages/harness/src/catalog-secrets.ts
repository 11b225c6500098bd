/** `${secret:NAME}` in a file of a catalog, as an agent reads it: filled in on the way, and nowhere kept. */
import { isUtf8 } from "node:buffer";

/** As a bundle is checked for when it is built. */
const reference = /\$\{secret:([A-Za-z_][A-Za-z0-9_]*)\}/g;
const begin = "${secret:";

export type FilledIn =
  | { readonly kind: "filled"; readonly body: Buffer }
  /** The agent has no such variable. */
  | { readonly kind: "missing"; readonly name: string };

/**
 * The bytes of a file with each reference replaced by the agent's own variable of that name, escaped where the file is JSON.
 * What is no UTF-8 text has none.
 */
export function fillInSecrets(path: string, body: Buffer, valueOf: (name: string) => string | undefined): FilledIn {
  if (!body.includes(begin) || !isUtf8(body)) return { kind: "filled", body };
  const text = body.toString("utf8");
  const missing = [...text.matchAll(reference)]
    .map(([, name = ""]) => name)
    .find((name) => valueOf(name) === undefined);
  if (missing !== undefined) return { kind: "missing", name: missing };
  const inJson = path.endsWith(".json");
  const filled = text.replace(reference, (_, name: string) => {
    const value = valueOf(name) ?? "";
    return inJson ? JSON.stringify(value).slice(1, -1) : value;
  });
  return { kind: "filled", body: Buffer.from(filled) };
}
