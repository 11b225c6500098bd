/** JSON (RFC 8259) read strictly: what two readers could take for different data is a fault with its place. */
import type { Step } from "./bundle-error.ts";
import {
  checkLength,
  checkNumber,
  checkText,
  DocumentBudget,
  DocumentFault,
  type DocumentNode,
  documentLimits,
  type Member,
} from "./document.ts";

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const blank = 32;
const quote = 34;
const backslash = 92;
/** With so many digits a whole number is beyond all that a double holds. */
const mostDigits = 400;
const literals: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** One value and nothing after it. Throws a `DocumentFault`. */
export function strictJson(source: string): DocumentNode {
  checkLength(source, documentLimits.jsonUnits);
  const reader = new JsonReader(source);
  return reader.document();
}

/** Lives for one document. */
class JsonReader {
  readonly #source: string;
  readonly #steps: Step[] = [];
  readonly #budget = new DocumentBudget();
  #at = 0;
  /** Where the next backslash is, at or after where it was looked for last; -1: there is none any more. */
  #escape = 0;

  constructor(source: string) {
    this.#source = source;
  }

  document(): DocumentNode {
    const node = this.#value();
    this.#skip();
    if (this.#at < this.#source.length) this.#fail("there is something after the end of the value");
    return node;
  }

  #value(): DocumentNode {
    this.#skip();
    const at = this.#at;
    this.#budget.enter(at, this.#steps);
    const first = this.#source[at];
    if (first === "{") return this.#record(at);
    if (first === "[") return this.#list(at);
    if (first === '"') return { kind: "value", at, value: this.#string() };
    for (const [word, value] of literals)
      if (this.#source.startsWith(word, at)) {
        this.#at += word.length;
        return { kind: "value", at, value };
      }
    return { kind: "value", at, value: this.#number(at) };
  }

  #record(at: number): DocumentNode {
    const members = new Map<string, Member>();
    this.#at += 1;
    if (this.#take("}")) return { kind: "record", at, members };
    do {
      this.#skip();
      const keyAt = this.#at;
      if (this.#source[keyAt] !== '"') this.#fail("a key in quotes is missing");
      const key = this.#string();
      this.#steps.push(key);
      if (members.has(key))
        throw new DocumentFault("duplicateKey", keyAt, this.#steps, "the key is there twice", "keep one of the two");
      if (!this.#take(":")) this.#fail("a colon is missing after a key");
      members.set(key, { at: keyAt, value: this.#value() });
      this.#steps.pop();
    } while (this.#take(","));
    if (!this.#take("}")) this.#fail("a comma or a closing brace is missing");
    return { kind: "record", at, members };
  }

  #list(at: number): DocumentNode {
    const items: DocumentNode[] = [];
    this.#at += 1;
    if (this.#take("]")) return { kind: "list", at, items };
    do {
      this.#steps.push(items.length);
      items.push(this.#value());
      this.#steps.pop();
    } while (this.#take(","));
    if (!this.#take("]")) this.#fail("a comma or a closing bracket is missing");
    return { kind: "list", at, items };
  }

  #string(): string {
    const at = this.#at;
    const end = this.#closing(at);
    if (end === -1) this.#fail("a text is not closed");
    this.#at = end + 1;
    return checkText(this.#decoded(this.#source.slice(at, this.#at), at), at, this.#steps);
  }

  /** Where the text that begins at a quote ends, or -1. */
  #closing(at: number): number {
    const end = this.#source.indexOf('"', at + 1);
    if (end === -1 || !this.#escapedIn(at, end)) return end;
    // One by one: an expression would run out of stack in a long one.
    for (let next = at + 1; next < this.#source.length; next += 1) {
      const unit = this.#source.charCodeAt(next);
      if (unit === quote) return next;
      if (unit === backslash) next += 1;
    }
    return -1;
  }

  /** Most texts have no backslash, and most documents have none at all. */
  #escapedIn(from: number, to: number): boolean {
    if (this.#escape !== -1 && this.#escape < from) this.#escape = this.#source.indexOf("\\", from);
    return this.#escape !== -1 && this.#escape < to;
  }

  /** Node's own reading of what is one text: its escapes, and the characters that have to be escaped. */
  #decoded(raw: string, at: number): string {
    try {
      return JSON.parse(raw) as string;
    } catch {
      const message = "a text holds an escape that JSON does not know, or a control character";
      throw new DocumentFault("notJson", at, this.#steps, message, "correct the syntax");
    }
  }

  #number(at: number): number {
    number.lastIndex = at;
    const found = number.exec(this.#source);
    if (found === null) this.#fail("a value is missing, or is none that JSON knows");
    this.#at = number.lastIndex;
    const [digits, fraction, exponent] = found;
    const whole = fraction === undefined && exponent === undefined;
    const exact = whole && digits.length > 15 && digits.length < mostDigits;
    return checkNumber(exact ? BigInt(digits) : Number(digits), at, this.#steps);
  }

  #take(character: string): boolean {
    this.#skip();
    if (this.#source[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skip(): void {
    // What is canonical has no space anywhere.
    if (this.#source.charCodeAt(this.#at) > blank) return;
    space.lastIndex = this.#at;
    space.exec(this.#source);
    this.#at = space.lastIndex;
  }

  #fail(message: string): never {
    throw new DocumentFault("notJson", this.#at, this.#steps, message, "correct the syntax");
  }
}
