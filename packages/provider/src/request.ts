/** From the bytes on standard input to one request: exactly one JSON object, whose operation is known. */
import { Fields, isObject, type Json, shown } from "./fields.ts";
import { Refused } from "./refused.ts";

const known = "there are info and deploy";

export type Operation =
  | { readonly op: "info" }
  | { readonly op: "deploy"; readonly request: Json }
  /** `error` may show what was asked for, and is not redacted. */
  | { readonly op: "unknown"; readonly request: Json; readonly error: string };

/** Throws `Refused`. What was sent is in no message: it holds a key. */
export function readOperation(bytes: Uint8Array): Operation {
  const value = parse(bytes);
  if (!isObject(value)) throw new Refused(null, "the request must be one JSON object");
  const fields = new Fields(null, value);
  const op = fields.raw("op");
  if (op === "info") return { op };
  if (op === "deploy") return { op, request: value };
  return {
    op: "unknown",
    request: value,
    error: `op: ${fields.isAbsent("op") ? "is required" : faultOf(op)}; ${known}`,
  };
}

function faultOf(op: unknown): string {
  return typeof op === "string" ? `${shown(op)} is not known` : "must be a text";
}

function parse(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (text.trim() === "") throw new Refused(null, "there is no request: one JSON object is wanted on standard input");
  try {
    return JSON.parse(text);
  } catch {
    // V8 quotes what it could not read, and that may be a part of a key.
    throw new Refused(null, "the request is not valid JSON: exactly one object is wanted");
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refused(null, "the request is not valid UTF-8");
  }
}
