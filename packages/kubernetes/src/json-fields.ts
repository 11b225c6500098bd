/** Reads fields of data from outside, of which nothing is known: what has another type than asked for counts as absent. */

export type Fields = Readonly<Record<string, unknown>>;

const none: Fields = {};

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The mapping itself, or an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : none;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that is not empty, or null. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** The mapping that a JSON text holds; null when it is no JSON or something else than a mapping. */
export function parseFields(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}
