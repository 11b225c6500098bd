/** A document as a tree that still knows where each of its values stands, whether it was written as JSON or as YAML. */
import type { Json } from "@moorage/core";
import { type Flaw, pathText, type Step } from "./bundle-error.ts";

/** `at` is an offset into the text, in UTF-16 code units. */
export type DocumentNode =
  | { readonly kind: "record"; readonly at: number; readonly members: ReadonlyMap<string, Member> }
  | { readonly kind: "list"; readonly at: number; readonly items: readonly DocumentNode[] }
  | { readonly kind: "value"; readonly at: number; readonly value: string | number | boolean | null };

export interface Member {
  /** Where its key stands. */
  readonly at: number;
  readonly value: DocumentNode;
}

/** What one document may hold: enough for any catalog, far from what fills a memory. */
export const documentLimits: {
  /** UTF-16 code units. */
  readonly jsonUnits: number;
  /** YAML takes far longer to read. */
  readonly yamlUnits: number;
  readonly values: number;
  readonly depth: number;
  readonly aliases: number;
} = {
  jsonUnits: 8 * 1024 * 1024,
  yamlUnits: 1024 * 1024,
  values: 200_000,
  depth: 100,
  aliases: 100,
};

/** What a strict reading stumbled over; becomes a flaw once the file is known. */
export class DocumentFault extends Error {
  readonly code: string;
  readonly at: number;
  readonly steps: readonly Step[];
  readonly hint: string;

  constructor(code: string, at: number, steps: readonly Step[], message: string, hint: string) {
    super(message);
    this.name = "DocumentFault";
    this.code = code;
    this.at = at;
    this.steps = [...steps];
    this.hint = hint;
  }
}

/** The fault with its file, line and column. */
export function faultFlaw(fault: DocumentFault, source: string, file: string): Flaw {
  const { line, column } = placeOf(source, fault.at);
  return {
    code: fault.code,
    file,
    line,
    column,
    path: pathText(fault.steps),
    message: fault.message,
    hint: fault.hint,
  };
}

/** Line and column of an offset, both from 1. */
export function placeOf(source: string, at: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let end = source.indexOf("\n"); end !== -1 && end < at; end = source.indexOf("\n", start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: at - start + 1 };
}

/** The plain data of a tree. */
export function plainOf(node: DocumentNode): Json {
  switch (node.kind) {
    case "record":
      // Unlike assignment, this makes an own key even of `__proto__`.
      return Object.fromEntries([...node.members].map(([key, { value }]) => [key, plainOf(value)]));
    case "list":
      return node.items.map(plainOf);
    case "value":
      return node.value;
    default:
      return node satisfies never;
  }
}

/** One number as both notations may hold it. Throws a `DocumentFault`. */
export function checkNumber(value: number | bigint, at: number, steps: readonly Step[]): number {
  const number = Number(value);
  if (!Number.isFinite(number))
    throw new DocumentFault("numberTooLarge", at, steps, "the number has no exact value", "write it as text");
  if (typeof value === "bigint" && !Number.isSafeInteger(number))
    throw new DocumentFault(
      "unsafeInteger",
      at,
      steps,
      "the integer is beyond 2^53 - 1, where readers disagree about its value",
      "write it as text, in quotes",
    );
  // Canonical JSON knows one zero.
  return number === 0 ? 0 : number;
}

export function checkText(text: string, at: number, steps: readonly Step[]): string {
  if (!text.isWellFormed())
    throw new DocumentFault(
      "loneSurrogate",
      at,
      steps,
      "the text holds half of a surrogate pair, which is no character",
      "write the whole character",
    );
  return text;
}

/** Counts what a document holds. Throws a `DocumentFault` beyond the limits. */
export class DocumentBudget {
  #values = 0;

  enter(at: number, steps: readonly Step[]): void {
    this.#values += 1;
    if (this.#values > documentLimits.values)
      throw new DocumentFault(
        "tooManyValues",
        at,
        [],
        `the document holds more than ${documentLimits.values} values`,
        "split it, or store it as text of another kind",
      );
    if (steps.length > documentLimits.depth)
      throw new DocumentFault(
        "tooDeep",
        at,
        [],
        `the document is nested deeper than ${documentLimits.depth} levels`,
        "flatten it",
      );
  }
}

/** Whether a text is short enough to be read as a document. Throws a `DocumentFault`. */
export function checkLength(source: string, most: number): void {
  if (source.length > most)
    throw new DocumentFault(
      "documentTooLarge",
      0,
      [],
      `the document is longer than ${most} characters`,
      "split it, or store it as text of another kind",
    );
}
