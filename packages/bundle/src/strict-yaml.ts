/** YAML 1.2 read strictly: no duplicate or merge keys, no tags, no alias bombs, no integer that readers disagree about. */
import type { Document, Pair } from "yaml";
import { isAlias, isMap, isScalar, isSeq, parseAllDocuments } from "yaml";
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

/** All documents of a text. Throws a `DocumentFault`. */
export function strictYaml(source: string): DocumentNode[] {
  checkLength(source, documentLimits.yamlUnits);
  const documents = parsed(source);
  const allowance = { budget: new DocumentBudget(), aliases: documentLimits.aliases };
  return documents.map((document) => {
    const [wrong] = [...document.errors, ...document.warnings];
    if (wrong !== undefined) throw yamlFault(wrong.code, wrong.message, wrong.pos[0], document);
    const { version, explicit } = document.directives.yaml;
    if (explicit === true && version !== "1.2")
      throw new DocumentFault("yamlVersion", 0, [], `YAML ${version} is asked for`, "remove the %YAML line");
    return new YamlReader(document, allowance).node(document.contents, document.range[0]);
  });
}

function parsed(source: string): Document.Parsed[] {
  try {
    const documents = parseAllDocuments(source, {
      prettyErrors: false,
      // The library compares each key with all others; below, a map does it.
      uniqueKeys: false,
      merge: false,
      intAsBigInt: true,
      version: "1.2",
      logLevel: "error",
    });
    return Array.isArray(documents) ? documents : [];
  } catch (error) {
    throw error instanceof RangeError ? tooDeep(0) : error;
  }
}

function tooDeep(at: number): DocumentFault {
  return new DocumentFault("tooDeep", at, [], "the document is nested too deeply", "flatten it");
}

function yamlFault(code: string, message: string, at: number, document: Document.Parsed): DocumentFault {
  const steps = stepsTo(document.contents, at);
  // The library reads recursively, and tells the end of the stack as a mistake in the text.
  if (message.startsWith("Maximum call stack")) return tooDeep(at);
  if (code === "TAG_RESOLVE_FAILED")
    return new DocumentFault("yamlTag", at, steps, "a tag is there, which only some readers know", "remove it");
  const [first = message] = message.split("\n");
  return new DocumentFault("notYaml", at, steps, `is not YAML: ${first}`, "correct the syntax");
}

/** The way to what stands at an offset, or to what comes next: a tag stands before the value that has it. */
function stepsTo(node: unknown, at: number): Step[] {
  if (isMap(node)) {
    const pair = (node.items as readonly Pair[]).find(({ key, value }) => Math.max(endOf(key), endOf(value)) > at);
    if (pair !== undefined) return [keyText(pair.key), ...(at < endOf(pair.key) ? [] : stepsTo(pair.value, at))];
  }
  if (isSeq(node)) {
    const index = node.items.findIndex((item) => endOf(item) > at);
    if (index !== -1) return [index, ...stepsTo(node.items[index], at)];
  }
  return [];
}

function endOf(node: unknown): number {
  return rangeOf(node)?.[1] ?? -1;
}

function rangeOf(node: unknown): readonly [number, number, number] | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range ?? undefined) : undefined;
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : "?";
}

/** What all documents of a text may hold together: many small ones are no way round. */
interface Allowance {
  readonly budget: DocumentBudget;
  /** That may still be followed. */
  aliases: number;
}

/** Lives for one document: the library's nodes become ours, each checked. */
class YamlReader {
  readonly #document: Document.Parsed;
  readonly #steps: Step[] = [];
  readonly #allowance: Allowance;

  constructor(document: Document.Parsed, allowance: Allowance) {
    this.#document = document;
    this.#allowance = allowance;
  }

  node(node: unknown, otherwise: number): DocumentNode {
    const at = rangeOf(node)?.[0] ?? otherwise;
    this.#allowance.budget.enter(at, this.#steps);
    if (isAlias(node)) return this.#alias(node, at);
    if (node === null || node === undefined) return { kind: "value", at, value: null };
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.tag !== undefined)
      this.#fail("yamlTag", at, "a tag is there, which only some readers know", "remove it");
    if (isMap(node)) return this.#record(node.items, at);
    if (isSeq(node)) return { kind: "list", at, items: node.items.map((item, index) => this.#below(index, item, at)) };
    if (isScalar(node)) return { kind: "value", at, value: this.#scalar(node.value, at) };
    return this.#fail("notYaml", at, "a value is of a kind that plain data does not have", "write plain data");
  }

  #record(pairs: readonly Pair[], at: number): DocumentNode {
    const members = new Map<string, Member>();
    for (const { key, value } of pairs) {
      const keyAt = rangeOf(key)?.[0] ?? at;
      if (!isScalar(key) || key.tag !== undefined)
        this.#fail("keyNotText", keyAt, "a key is no plain text", "write a text before the colon");
      if (key.value === "<<" && key.type === "PLAIN")
        this.#fail(
          "mergeKey",
          keyAt,
          "a merge key (<<) is there, which only some readers follow",
          "write the keys out",
        );
      const name = checkText(String(key.value), keyAt, this.#steps);
      this.#steps.push(name);
      // 1 and "1" are two keys for YAML, and one for everybody who reads it into a record.
      if (members.has(name)) this.#fail("duplicateKey", keyAt, "the key is there twice", "keep one of the two");
      this.#steps.pop();
      members.set(name, { at: keyAt, value: this.#below(name, value, keyAt) });
    }
    return { kind: "record", at, members };
  }

  #alias(alias: { resolve(document: Document.Parsed): unknown; source: string }, at: number): DocumentNode {
    this.#allowance.aliases -= 1;
    if (this.#allowance.aliases < 0)
      this.#fail(
        "tooManyAliases",
        at,
        `the aliases of the document expand to more than ${documentLimits.aliases}`,
        "write the values out",
      );
    const target = alias.resolve(this.#document);
    if (target === undefined)
      this.#fail("unknownAnchor", at, "an alias names an anchor that is not there", "correct it");
    return this.node(target, at);
  }

  #scalar(value: unknown, at: number): string | number | boolean | null {
    if (typeof value === "string") return checkText(value, at, this.#steps);
    if (typeof value === "number" || typeof value === "bigint") return checkNumber(value, at, this.#steps);
    if (typeof value === "boolean" || value === null) return value;
    return this.#fail("notYaml", at, "a value is of a kind that plain data does not have", "write plain data");
  }

  #below(step: Step, node: unknown, at: number): DocumentNode {
    this.#steps.push(step);
    const below = this.node(node, at);
    this.#steps.pop();
    return below;
  }

  #fail(code: string, at: number, message: string, hint: string): never {
    throw new DocumentFault(code, at, this.#steps, message, hint);
  }
}
