/** Reads the fields of a strict document: what is unknown, missing or of another type is a fault with its place. */
import type { Step } from "./bundle-error.ts";
import { DocumentFault, type DocumentNode } from "./document.ts";

/** A value, and the way to it. */
export interface Field {
  readonly node: DocumentNode;
  readonly steps: readonly Step[];
}

/** Exactly these fields, in whatever order; those of `optional` may be absent. */
export function fieldsOf<Name extends string, Maybe extends string = never>(
  field: Field,
  names: readonly Name[],
  optional: readonly Maybe[] = [],
): Readonly<Record<Name, Field>> & Readonly<Partial<Record<Maybe, Field>>> {
  const { node, steps } = field;
  if (node.kind !== "record") return fail(field, "wrongType", "is no record");
  const known: readonly string[] = [...names, ...optional];
  for (const [key, { at }] of node.members)
    if (!known.includes(key)) throw fault("unknownField", at, [...steps, key], "is a field that nobody knows here");
  const fields: Record<string, Field> = {};
  for (const name of known) {
    const member = node.members.get(name);
    if (member !== undefined) fields[name] = { node: member.value, steps: [...steps, name] };
    else if (names.includes(name as Name)) throw fault("missingField", node.at, [...steps, name], "is missing");
  }
  return fields as Readonly<Record<Name, Field>> & Readonly<Partial<Record<Maybe, Field>>>;
}

export function listOf(field: Field, most: number): readonly Field[] {
  const { node, steps } = field;
  if (node.kind !== "list") return fail(field, "wrongType", "is no list");
  if (node.items.length > most) return fail(field, "tooMany", `holds more than ${most}`);
  return node.items.map((item, index) => ({ node: item, steps: [...steps, index] }));
}

export function textOf(field: Field): string {
  if (field.node.kind !== "value" || typeof field.node.value !== "string")
    return fail(field, "wrongType", "is no text");
  return field.node.value;
}

/** `expected` completes "is not". */
export function matching(field: Field, pattern: RegExp, expected: string): string {
  const text = textOf(field);
  return pattern.test(text) ? text : fail(field, "malformedField", `is not ${expected}`);
}

/** 32 bytes: a SHA-256, or a public key. */
export function hexDigits(field: Field): string {
  return matching(field, /^[0-9a-f]{64}$/, "64 hex digits");
}

export function oneOf<Word extends string>(field: Field, words: readonly Word[]): Word {
  const text = textOf(field);
  const word = words.find((known) => known === text);
  return word ?? fail(field, "malformedField", `is none of ${words.join(", ")}`);
}

export function wholeNumber(field: Field, least: number, most: number): number {
  const value = field.node.kind === "value" ? field.node.value : null;
  if (typeof value !== "number") return fail(field, "wrongType", "is no number");
  if (!Number.isSafeInteger(value) || value < least || value > most)
    return fail(field, "malformedField", `is no whole number from ${least} to ${most}`);
  return value;
}

export function orNull<Value>(field: Field, read: (field: Field) => Value): Value | null {
  return field.node.kind === "value" && field.node.value === null ? null : read(field);
}

/** A time as every JavaScript writes it, in UTC with milliseconds: one text for one instant, of a year of four digits. */
export function instant(field: Field): string {
  const text = textOf(field);
  const ms = Date.parse(text);
  return text.length === "2026-01-31T12:00:00.000Z".length && !Number.isNaN(ms) && new Date(ms).toISOString() === text
    ? text
    : fail(field, "malformedField", "is no time such as 2026-01-31T12:00:00.000Z");
}

/** Another format may have other fields: that is said, and not that one of them is unknown. */
export function checkFormat({ node }: Field, known: string): void {
  const format = node.kind === "record" ? node.members.get("format")?.value : undefined;
  if (format === undefined) return;
  const field = { node: format, steps: ["format"] };
  const text = textOf(field);
  if (text !== known)
    fail(field, "formatUnknown", `is ${JSON.stringify(text)}, and this version of Moorage reads ${known}`);
}

export function fail(field: Field, code: string, message: string): never {
  throw fault(code, field.node.at, field.steps, message);
}

function fault(code: string, at: number, steps: readonly Step[], message: string): DocumentFault {
  return new DocumentFault(
    code,
    at,
    steps,
    message,
    "take it as it was made; what was edited by hand is not valid any more",
  );
}
