/** Reads the fields of a request one by one; what is wrong is refused by its path. `null` and blank mean absent. */
import { Refused } from "./refused.ts";

export type Json = Readonly<Record<string, unknown>>;

const longestShown = 200;
const plainName = /^[\w.-]{1,64}$/;

/**
 * A text as it may be shown: of what a person chose, never of what may be a secret. A long one is not shown in part: of a
 * secret that stands in the wrong place nothing would find a part again.
 */
export function shown(text: string): string {
  return text.length > longestShown ? `a text of ${text.length} characters` : JSON.stringify(text);
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export class Fields {
  readonly path: string;
  readonly #fields: Json;

  /** `path` null: the request itself. */
  constructor(path: string | null, value: unknown) {
    this.path = path ?? "";
    if (!isObject(value)) throw new Refused(path, "must be an object");
    this.#fields = value;
  }

  names(): string[] {
    return Object.keys(this.#fields);
  }

  /** Where a field stands in the request. */
  at(name: string): string {
    if (!plainName.test(name)) return `${this.path}[${shown(name)}]`;
    return this.path === "" ? name : `${this.path}.${name}`;
  }

  isAbsent(name: string): boolean {
    const value = this.raw(name);
    return value === null || (typeof value === "string" && value.trim() === "");
  }

  /** Exactly as it stands. */
  text(name: string): string | null {
    if (this.isAbsent(name)) return null;
    const value = this.raw(name);
    if (typeof value !== "string") throw new Refused(this.at(name), `must be a text, and is ${kindOf(value)}`);
    // On its way it would silently become another one.
    if (!value.isWellFormed()) throw new Refused(this.at(name), "has half of a character in it");
    return value;
  }

  /** Without the white space around it. */
  trimmed(name: string): string | null {
    return this.text(name)?.trim() ?? null;
  }

  /** A whole number from `least` to `most`, which may come as a text. */
  whole(name: string, least: number, most: number): number | null {
    if (this.isAbsent(name)) return null;
    const value = this.raw(name);
    const number = typeof value === "string" && /^-?\d{1,16}$/.test(value.trim()) ? Number(value) : value;
    if (typeof number === "number" && Number.isSafeInteger(number) && number >= least && number <= most) return number;
    const is = typeof value === "string" || typeof value === "number" ? shown(`${value}`) : kindOf(value);
    throw new Refused(this.at(name), `must be ${wholeFrom(least, most)}, and is ${is}`);
  }

  list(name: string): readonly unknown[] | null {
    if (this.isAbsent(name)) return null;
    const value = this.raw(name);
    if (!Array.isArray(value)) throw new Refused(this.at(name), `must be a list, and is ${kindOf(value)}`);
    return value;
  }

  texts(name: string): readonly string[] | null {
    const list = this.list(name);
    if (list === null) return null;
    return list.map((entry, index) => {
      if (typeof entry !== "string")
        throw new Refused(`${this.at(name)}[${index}]`, `must be a text, and is ${kindOf(entry)}`);
      return entry;
    });
  }

  fields(name: string): Fields | null {
    return this.isAbsent(name) ? null : new Fields(this.at(name), this.raw(name));
  }

  /** Texts by their keys; a value of null is absent. */
  map(name: string): ReadonlyMap<string, string> {
    const inside = this.fields(name);
    const map = new Map<string, string>();
    for (const key of inside?.names() ?? []) {
      const value = inside?.raw(key);
      if (typeof value === "string") map.set(key, value);
      else if (value !== null)
        throw new Refused(`${this.at(name)}[${shown(key)}]`, `must be a text, and is ${kindOf(value)}`);
    }
    return map;
  }

  /** Whatever stands there; null when nothing does. */
  raw(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? null) : null;
  }
}

function wholeFrom(least: number, most: number): string {
  if (most < Number.MAX_SAFE_INTEGER) return `a whole number from ${least} to ${most}`;
  return least === 1 ? "a whole number above 0" : "a whole number";
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
