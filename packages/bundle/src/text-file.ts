/** Files that are text by their name: UTF-8, LF, no byte order mark, whatever the checkout made of them. */
import { isUtf8 } from "node:buffer";
import type { Flaw } from "./bundle-error.ts";

const textExtensions: ReadonlySet<string> = new Set(["md", "txt", "json", "yaml", "yml", "toml", "csv", "prompt"]);

const lineFeed = 10;
const carriageReturn = 13;
const byteOrderMark = [0xef, 0xbb, 0xbf];
/** What a reader puts in the place of bytes that are no character. */
const replacement = "\ufffd";
const replacementBytes = [0xef, 0xbf, 0xbd];

/** The extension of a path in lower case; empty when there is none. */
export function extensionOf(path: string): string {
  return /[^/]\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

export function isTextPath(path: string): boolean {
  return textExtensions.has(extensionOf(path));
}

/** Bytes read as UTF-8, a byte order mark among them; what is none is replaced. */
export function utf8Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}

export type TextReading =
  | { readonly kind: "text"; readonly bytes: Uint8Array }
  | { readonly kind: "flaw"; readonly flaw: Flaw };

/** The bytes as every checkout would have them. The given ones are not changed; they are the result where nothing differs. */
export function normaliseText(file: string, bytes: Uint8Array): TextReading {
  if (!isUtf8(bytes)) return invalidUtf8(file, bytes);
  let body = bytes;
  // However many: what is shipped has none, so that it is its own normal form.
  while (byteOrderMark.every((byte, at) => body[at] === byte)) body = body.subarray(byteOrderMark.length);
  const zero = body.indexOf(0);
  if (zero !== -1)
    return flawAt(file, body, zero, "nulInText", "holds a NUL: this is no text", "save it as UTF-8 text");
  if (!body.includes(carriageReturn)) return { kind: "text", bytes: body };
  const normal = new Uint8Array(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number;
    if (byte === carriageReturn) {
      if (body[at + 1] === lineFeed) continue;
      const message = "holds a carriage return without a line feed";
      return flawAt(file, body, at, "loneCarriageReturn", message, "end lines with LF");
    }
    normal[length] = byte;
    length += 1;
  }
  return { kind: "text", bytes: normal.subarray(0, length) };
}

function invalidUtf8(file: string, bytes: Uint8Array): TextReading {
  const at = firstInvalid(bytes);
  const message = `is not UTF-8 at byte ${at}`;
  return flawAt(file, bytes, at, "notUtf8", message, "save it as UTF-8, or give it an extension of another kind");
}

/** The offset of the first byte that begins no character. */
function firstInvalid(bytes: Uint8Array): number {
  const text = utf8Text(bytes);
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf(replacement); at !== -1; at = text.indexOf(replacement, from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    // Files may hold the replacement character itself.
    if (!replacementBytes.every((byte, index) => bytes[offset + index] === byte)) return offset;
    offset += replacementBytes.length;
    from = at + 1;
  }
  return bytes.length;
}

function flawAt(file: string, bytes: Uint8Array, at: number, code: string, message: string, hint: string): TextReading {
  let line = 1;
  let start = 0;
  for (let end = bytes.indexOf(lineFeed); end !== -1 && end < at; end = bytes.indexOf(lineFeed, start)) {
    line += 1;
    start = end + 1;
  }
  return { kind: "flaw", flaw: { code, file, line, column: at - start + 1, path: "", message, hint } };
}
