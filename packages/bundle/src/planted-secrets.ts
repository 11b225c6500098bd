/** Keys and tokens that somebody left in a catalog: found by their shape, told by their line, never shown. */
import { type SecretShape, secretShapes } from "@moorage/core";
import type { Flaw } from "./bundle-error.ts";

const reference = /\$\{secret:[A-Za-z_][A-Za-z0-9_]*\}/g;
const anyReference = /\$\{\s*secret\b[^}\n]*\}?/gi;

/** What a reference counts as: a word that no shape looks for. */
const standIn = "reference";

/** Shapes that what an agent prints need not be searched for: there its own values are known. */
const plantedShapes: readonly SecretShape[] = [
  ...secretShapes,
  { pattern: /\bhooks\.slack\.com\/services\/T\w+\/B\w+\/\w{16,}/g, instead: "" },
  { pattern: /\bwhsec_[\w+/=-]{20,}/g, instead: "" },
  { pattern: /\bSG\.[\w-]{16,}\.[\w-]{16,}/g, instead: "" },
  { pattern: /\bpypi-[\w-]{32,}/g, instead: "" },
  { pattern: /\bdo[opr]_v1_[0-9a-f]{32,}/g, instead: "" },
  { pattern: /(?<!\d)\d{8,12}:AA[\w-]{32,36}(?![\w-])/g, instead: "" },
  // What is called a key, and looks like nothing that a person would write.
  {
    pattern:
      /((?:api[_-]?key|access[_-]?key|secret[_-]?key|client[_-]?secret|auth[_-]?token|access[_-]?token)["']?\s*[:=]\s*["']?)(?=[A-Za-z+/_-]*\d)[\w+/-]{16,}={0,2}/gi,
    instead: "$1",
  },
];

/** Lines with what looks like a secret, and references that nothing would resolve. */
export function plantedSecrets(file: string, text: string): Flaw[] {
  const bare = text.includes("${") ? text.replaceAll(reference, standIn) : text;
  const suspects = plantedShapes.filter(({ pattern }) => bare.search(pattern) !== -1);
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
    // The shape is one of words around a value; prose has such words as well, and then another word follows.
    const value = instead.includes("$1") ? found[0].slice(found[1]?.length ?? 0) : null;
    if (value === null ? !isCompound(found[0]) : value.split(":").some(isNoWord)) return true;
  }
  return false;
}

/** Neither a word, nor a place that is to be filled. */
function isNoWord(part: string): boolean {
  const word = part.replace(/[.:!?)\]}]+$/, "");
  return word !== "" && !/^[\p{L}\p{M}'\u2019-]+$/u.test(word) && !/^[{[<$%*(]/.test(word);
}

/** Several short words, as the name of a column or of a setting is: `pk_customer_orders_id`. */
function isCompound(text: string): boolean {
  return /^[a-z]{1,12}(?:[_-](?:[a-z]{1,12}|v?\d{1,2}))+$/.test(text);
}
