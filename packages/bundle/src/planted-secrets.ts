/** Keys and tokens that somebody left in a catalog: found by their shape, told by their line, never shown. */
import { type SecretShape, secretShapes } from "@moorage/core";
import type { Flaw } from "./bundle-error.ts";

const reference = /\$\{secret:[A-Za-z_][A-Za-z0-9_]*\}/g;
const anyReference = /\$\{\s*secret\b[^}\n]*\}?/gi;

/** What a reference counts as: a word that no shape looks for. */
const standIn = "reference";

/** Lines with what looks like a secret, and references that nothing would resolve. */
export function plantedSecrets(file: string, text: string): Flaw[] {
  const bare = text.includes("${") ? text.replaceAll(reference, standIn) : text;
  const suspects = secretShapes.filter(({ pattern }) => bare.search(pattern) !== -1);
  const badReference = bare.search(anyReference) !== -1;
  if (suspects.length === 0 && !badReference) return [];
  const flaws: Flaw[] = [];
  for (const [index, line] of bare.split("\n").entries()) {
    if (suspects.some((shape) => holdsSecret(line, shape)))
      flaws.push({
        code: "plantedSecret",
        file,
        line: index + 1,
        column: null,
        path: "",
        message: "looks like a key or a token",
        hint: "put it into the agent's secretEnv, and write ${secret:NAME} in the catalog",
      });
    if (badReference && line.search(anyReference) !== -1)
      flaws.push({
        code: "secretReference",
        file,
        line: index + 1,
        column: null,
        path: "",
        message: "refers to a secret by something that is no name",
        hint: "write ${secret:NAME}, with letters, digits and underscores",
      });
  }
  return flaws;
}

function holdsSecret(line: string, { pattern, instead }: SecretShape): boolean {
  for (const found of line.matchAll(pattern)) {
    if (!instead.includes("$1")) return true;
    // The shape is one of words around a value; prose has such words as well, and then another word follows.
    const value = found[0].slice(found[1]?.length ?? 0);
    if (value.split(":").some(isNoWord)) return true;
  }
  return false;
}

/** Neither a word, nor a place that is to be filled. */
function isNoWord(part: string): boolean {
  const word = part.replace(/[.:!?)\]}]+$/, "");
  return word !== "" && !/^[\p{L}\p{M}'’-]+$/u.test(word) && !/^[{[<$%*(]/.test(word);
}
