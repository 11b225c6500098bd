/** The RFC 8785 (JCS) form of plain data: the one text that all equal data have. */
import type { Json } from "@moorage/core";

/** What has no canonical form: a lone surrogate, a number that is not finite, anything but plain data. Holds no part of it. */
export class DigestError extends Error {
  readonly code = "notCanonical";
  readonly hint = "Only text that is valid Unicode, finite numbers and plain data can be compared over time.";

  constructor(message: string) {
    super(message);
    this.name = "DigestError";
  }
}

/** Strings that are their own JSON between quotes, which nearly all are: looking is much cheaper than escaping. */
const plainText = /^[ !#-[\]-~]*$/;

/** Throws a `DigestError`. */
export function canonicalForm(value: Json): string {
  switch (typeof value) {
    case "string":
      return textForm(value);
    case "number":
      if (!Number.isFinite(value)) throw new DigestError("A number that is not finite has no canonical form.");
      // ECMAScript's own form of a number is the one that RFC 8785 3.2.2.3 asks for, but for the sign of zero.
      return value === 0 ? "0" : String(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? listForm(value) : recordForm(value as { readonly [key: string]: Json });
    default:
      throw new DigestError(`Plain data holds no ${typeof value}.`);
  }
}

function textForm(text: string): string {
  if (plainText.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new DigestError("Text with a lone surrogate has no canonical form.");
  return JSON.stringify(text);
}

function listForm(list: readonly Json[]): string {
  let form = "";
  for (let at = 0; at < list.length; at++) form += (at === 0 ? "" : ",") + canonicalForm(list[at] as Json);
  return `[${form}]`;
}

function recordForm(record: { readonly [key: string]: Json }): string {
  let form = "";
  // The default order is by UTF-16 code units, as RFC 8785 3.2.3 asks for.
  for (const key of Object.keys(record).sort())
    form += `${form === "" ? "" : ","}${textForm(key)}:${canonicalForm(record[key] as Json)}`;
  return `{${form}}`;
}
