/** Strict reading of persisted plain data: every field is asked for, and what is unknown, missing or wrong is named by its place. */

/** Reads a value that stands at a place, as in `use.bundle.digest`. Throws a `PlainDataError`. */
export type Reader<T> = (value: unknown, place: string) => T;

/** Something persisted that this version did not write, or that was damaged. */
export class PlainDataError extends Error {
  readonly code = "notReadable";
  readonly place: string;
  readonly hint = "it was written by another version of Moorage, or damaged; nothing of it is used";

  constructor(place: string, expected: string) {
    super(`${place === "" ? "it" : place} is not ${expected}`);
    this.name = "PlainDataError";
    this.place = place;
  }
}

export const text: Reader<string> = (value, place) => {
  if (typeof value !== "string") throw new PlainDataError(place, "a text");
  return value;
};

export const flag: Reader<boolean> = (value, place) => {
  if (typeof value !== "boolean") throw new PlainDataError(place, "true or false");
  return value;
};

/** A whole number from 0. */
export const count: Reader<number> = (value, place) => {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw new PlainDataError(place, "a whole number");
  return value;
};

export function oneOf<const T extends string | number>(...words: readonly T[]): Reader<T> {
  return (value, place) => {
    if (!words.includes(value as T)) throw new PlainDataError(place, `one of ${words.join(", ")}`);
    return value as T;
  };
}

/** One of the keys. The compiler asks for every word of the type: none can be written and then not be read. */
export function keyOf<T extends string>(words: Readonly<Record<T, unknown>>): Reader<T> {
  return oneOf(...(Object.keys(words) as T[]));
}

export function orNull<T>(read: Reader<T>): Reader<T | null> {
  return (value, place) => (value === null ? null : read(value, place));
}

export function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) throw new PlainDataError(place, "a list");
    return value.map((item: unknown, at) => read(item, `${place}[${at}]`));
  };
}

/** Texts by name. */
export const texts: Reader<Readonly<Record<string, string>>> = (value, place) => {
  const fields = objectAt(value, place);
  return Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, text(item, inside(place, key))]));
};

type Shape<T> = { readonly [K in keyof T]-?: Reader<T[K]> };

/** Exactly these fields. */
export function fields<T extends object>(shape: Shape<T>): Reader<T> {
  const names = Object.keys(shape) as (keyof T & string)[];
  return (value, place) => {
    const found = objectAt(value, place);
    for (const name of Object.keys(found))
      if (!Object.hasOwn(shape, name)) throw new PlainDataError(inside(place, name), "a field that is known");
    const read: Partial<T> = {};
    for (const name of names) {
      if (!Object.hasOwn(found, name)) throw new PlainDataError(inside(place, name), "there");
      read[name] = shape[name](found[name], inside(place, name));
    }
    return read as T;
  };
}

/** What else a variant has is decided by the word in one of its fields: of each word, what reads it. */
export function variants<T extends object, K extends keyof T & string>(
  key: K,
  readers: Readonly<Record<T[K] & string, Reader<T>>>,
): Reader<T> {
  const word = keyOf<T[K] & string>(readers);
  return (value, place) => readers[word(objectAt(value, place)[key], inside(place, key))](value, place);
}

/** A whole document of a format: another format may have other fields, so that it is the first thing that is told. */
export function readFormat<T>(written: string, format: number, read: Reader<T>): T {
  const value = parsed(written);
  oneOf(format)(objectAt(value, "")["format"], "format");
  return read(value, "");
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written) as unknown;
  } catch {
    throw new PlainDataError("", "JSON");
  }
}

function objectAt(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new PlainDataError(place, "an object");
  return value as Readonly<Record<string, unknown>>;
}

function inside(place: string, key: string): string {
  return place === "" ? key : `${place}.${key}`;
}
