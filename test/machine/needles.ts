/** Secret values that are planted, in every form in which they could come out, and where they were found. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Nothing about it looks like a secret: only who knows the value can hide it. Both kinds of quotes would be escaped in JSON. */
export function plantedValue(): string {
  return `plain "words" ${randomBytes(9).toString("hex")} 'and' more\\${randomBytes(6).toString("hex")}`;
}

export interface Find {
  readonly where: string;
  readonly form: string;
}

export class Needles {
  readonly #forms: readonly (readonly [string, Buffer])[];

  constructor(values: readonly string[]) {
    this.#forms = values.flatMap((value, index) =>
      formsOf(value).map(([form, text]) => [`value ${index}, ${form}`, Buffer.from(text)] as const),
    );
  }

  in(where: string, content: string | Buffer): Find[] {
    const bytes = Buffer.from(content);
    return this.#forms.flatMap(([form, needle]) => (bytes.includes(needle) ? [{ where, form }] : []));
  }

  /** In names and contents of all files below, but for those that are let off. */
  below(folder: string, letOff: (path: string) => boolean = () => false): Find[] {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      const content = stat?.isFile() === true && !letOff(name) ? readFileSync(path) : "";
      return [...this.in(`the name ${name}`, name), ...this.in(name, content)];
    });
  }
}

/** Whole as it is and as JSON has it; its two random parts alone, so that no escaping hides it; encoded at every offset. */
function formsOf(value: string): (readonly [string, string])[] {
  const parts = value.match(/[0-9a-z]{12,}/gi) ?? [value];
  return [
    ["raw", value],
    ["as JSON", JSON.stringify(value).slice(1, -1)],
    ...parts.map((part) => ["a part of it", part] as const),
    ...[value, ...parts].flatMap((text) => [0, 1, 2].map((offset) => ["base64", base64At(text, offset)] as const)),
    ["hex", Buffer.from(value).toString("hex")],
  ];
}

/** What a text becomes in the middle of longer ones: without the characters that its neighbours have a part in. */
function base64At(text: string, offset: number): string {
  const encoded = Buffer.from("x".repeat(offset) + text)
    .toString("base64")
    .replace(/=+$/, "");
  return encoded.slice(offset === 0 ? 0 : offset + 1, -2);
}
