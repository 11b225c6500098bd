/** Takes out of a pull message everything that names something, so that what is left says only what happened. */

/** What an address was for: the step that failed lies in it, and nothing else of it is kept. */
type AddressKind = "token" | "manifest" | "blob" | "ping" | "other";

/** Wrappers that say 500 or guess at credentials whatever went wrong, and what runtimes put before every error. */
const wrappers = new RegExp(
  [
    String.raw`\bapi error \(\d{3}\)`,
    String.raw`\(http code \d{3}\) (?:server|unexpected|no such container)? ?(?:error)?`,
    "this may be because there are no credentials on this request",
    "error response from daemon",
  ].join("|"),
  "g",
);

/** Words with a slash, a colon or a dot that are no names. */
const plainWords =
  /^(?:i\/o|input\/output|net\/http|username\/password|user\/password|user\/pass|and\/or|os\/arch|client\.timeout|client\.do|(?:linux|windows|darwin|freebsd)\/[a-z0-9/]+|(?:application|text|image)\/[a-z0-9.+-]+|archive\/tar|fork\/exec|proxyconnect)$/;

/** Names without any sign of being one, told by the word before or after them. */
const toldNames: readonly (readonly [RegExp, string])[] = [
  [
    /\b(image|manifest|tag|tagged by|reference|ref|short-name|repository|artifact|for|named?|project) ["'][^"'\s]{1,300}["']/g,
    "$1 <ref>",
  ],
  [/\bmanifest [^\s<]{1,300} in\b/g, "manifest <ref> in"],
  [/\[manifests [^\s\]]{1,300}\]/g, "[manifests <ref>]"],
  [/\b(denied|manifest) for [^\s<,]{1,300}(?=,? (?:repository|not found))/g, "$1 for <ref>"],
  [/\btag [^\s]{1,300} (?=not found\b|was deleted\b)/g, "tag <ref> "],
  [/\b(repository|artifact|project|manifest) [^\s<]{1,300} not found\b/g, "$1 <ref> not found"],
];

const address = /\b(?:https?|docker|oci):\/\/[^\s"'<>]*/g;
const digest = /\bsha(?:256|384|512)[:-][0-9a-f]{6,}/g;
const longHex = /\b[0-9a-f]{12,}\b/g;
const longNumber = /\b\d{5,}\b/g;
const word = /[^\s"'()[\]{},<>`=]+/g;
const named = /^[\w.$+-]+(?::[\w.$+-]+)+$/;
const host = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;
const number = /^[\d.]+$/;

/** The message in lower case, with `<…>` for every name. Linear in the length of the message. */
export function withoutNames(message: string): string {
  const plain = unescaped(message.toLowerCase());
  const shown = withoutPages(plain).replace(wrappers, " ");
  const bare = shown
    .replace(address, (text) => `<${addressKind(text)}-url>${trailing(text)}`)
    .replace(digest, "<digest>")
    // Names first: a date or a commit is often part of one, and what is left of it would speak for itself.
    .replace(word, wordWithoutName)
    .replace(longHex, "<hex>")
    .replace(longNumber, "<number>")
    .replace(/<ref>@?<digest>/g, "<ref>")
    .replace(/["']<([a-z-]+)>["']/g, "<$1>");
  return toldNames.reduce((text, [pattern, put]) => text.replace(pattern, put), bare);
}

/** Errors inside of errors come quoted, once for each layer. */
function unescaped(text: string): string {
  return text
    .replace(/\\+/g, "\\")
    .replace(/\\u0027/g, "'")
    .replace(/\\u003[ce]/g, " ")
    .replace(/\\["']/g, '"')
    .replace(/\\[nrt]/g, "\n");
}

/** A web page inside of a message may contain any word; what matters was said before it. */
function withoutPages(text: string): string {
  const begin = /<!doctype html|<html\b/.exec(text);
  if (begin === null) return text;
  const end = text.lastIndexOf("</html>");
  const rest = end > begin.index ? text.slice(end + "</html>".length) : "";
  return `${text.slice(0, begin.index)} <page> ${rest}`;
}

function addressKind(text: string): AddressKind {
  if (text.startsWith("docker") || text.startsWith("oci")) return "other";
  const path = text.replace(/\?.*$/, "");
  if (/\/manifests\//.test(path)) return "manifest";
  if (/\/blobs\/|\/docker\/registry\/v2\/|registry-v2|\/sha256[:/]/.test(path)) return "blob";
  if (/\/v2\/token\b|\/(?:token|oauth2?\/[a-z]+|oauth|auth|jwt\/auth|openid-connect\/[a-z]+)[:/]*$/.test(path))
    return "token";
  return /\/v[012]\/(?:_ping)?[:.,;]*$/.test(path) ? "ping" : "other";
}

/** Punctuation after a name belongs to the sentence. */
function trailing(text: string): string {
  return /[:;.,]$/.test(text) ? text.slice(-1) : "";
}

function wordWithoutName(text: string): string {
  const end = trailing(text);
  const bare = end === "" ? text : text.slice(0, -1);
  if (plainWords.test(bare) || /^\W*$/.test(bare)) return text;
  if (bare.startsWith("/")) return `<path>${end}`;
  if (bare.includes("/")) return `<ref>${end}`;
  if (number.test(bare)) return /^\d{1,3}$/.test(bare) ? text : `<number>${end}`;
  if (named.test(bare)) return `<ref>${end}`;
  return host.test(bare) ? `<host>${end}` : text;
}
