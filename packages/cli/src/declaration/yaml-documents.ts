/** YAML to plain values that still know where they stand: strict, without merge keys, tags or alias bombs. */

import type { Document, Pair } from "yaml";
import { isMap, isNode, isScalar, isSeq, LineCounter, parseAllDocuments } from "yaml";
import type { Mistake, Step } from "./mistake.ts";
import { pathText } from "./mistake.ts";
import type { Fault } from "./names.ts";

/** One document, checked as YAML. */
export interface YamlDocument {
  /** The plain value; undefined when it cannot be read at all. */
  readonly value: unknown;
  /** The mistake at a place in it: at the key's or at the value's position, or at the nearest thing above that exists. */
  mistakeAt(steps: readonly Step[], at: "key" | "value", fault: Fault): Mistake;
}

export interface YamlReading {
  readonly documents: readonly YamlDocument[];
  readonly mistakes: readonly Mistake[];
}

/** Aliases that one document may expand to: enough for shared blocks, far from a bomb. */
const mostAliases = 100;

/** Characters of the source that a message may show. */
const longestShown = 60;

type Place = (offset: number) => { readonly line: number; readonly column: number };

/** All documents that are not empty, and every mistake in their YAML. `file` is how the person named it. */
export function readYaml(source: string, file: string): YamlReading {
  const lines = new LineCounter();
  const place: Place = (offset) => {
    const { line, col } = lines.linePos(Math.min(offset, source.length));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const parsed = parseAllDocuments(source, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    merge: false,
    // Its warnings are mistakes here; none goes to standard error by itself.
    logLevel: "error",
  });
  const documents: YamlDocument[] = [];
  const mistakes: Mistake[] = [];
  for (const document of Array.isArray(parsed) ? (parsed as Document.Parsed[]) : []) {
    for (const { code, message, pos } of [...document.errors, ...document.warnings])
      mistakes.push({
        file,
        ...place(pos[0]),
        path: "",
        ...yamlFault(code, message, source.slice(pos[0], pos[0] + longestShown)),
      });
    const readable = document.errors.every(({ code }) => code === "DUPLICATE_KEY");
    if (!readable || isEmpty(document)) continue;
    const plain = plainValue(document);
    const mistakeAt: YamlDocument["mistakeAt"] = (steps, at, fault) => ({
      file,
      ...place(offsetOf(document, steps, at)),
      path: pathText(steps),
      ...fault,
    });
    if (plain.kind === "mistake") mistakes.push(mistakeAt([], "value", plain));
    else documents.push({ value: plain.value, mistakeAt });
  }
  return { documents, mistakes };
}

function isEmpty(document: Document.Parsed): boolean {
  return document.contents === null || (isScalar(document.contents) && document.contents.value === null);
}

function plainValue(document: Document): { kind: "plain"; value: unknown } | ({ kind: "mistake" } & Fault) {
  try {
    return { kind: "plain", value: document.toJS({ maxAliasCount: mostAliases }) as unknown };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return {
      kind: "mistake",
      message: `its aliases expand to more than ${mostAliases} values, or name an anchor that is not there`,
      hint: "write the values out instead of using aliases",
    };
  }
}

function yamlFault(code: string, message: string, near: string): Fault {
  if (code === "DUPLICATE_KEY") {
    const key = /^[^\s:]+/.exec(near)?.[0];
    return {
      message: key === undefined ? "a key is there twice" : `the key ${key} is there twice`,
      hint: "keep one of the two",
    };
  }
  if (code === "TAG_RESOLVE_FAILED")
    return { message: "has a tag, which a declaration may not have", hint: "remove it" };
  if (code === "TAB_AS_INDENT")
    return { message: "is indented with a tab, which YAML does not allow", hint: "indent with spaces" };
  const [first = message] = message.split("\n");
  return { message: `is not YAML: ${first}`, hint: "correct the syntax; `moorage init` writes an example" };
}

/** Where a place begins in the source; what does not exist is told at the nearest thing above it. */
function offsetOf(document: Document, steps: readonly Step[], at: "key" | "value"): number {
  let node: unknown = document.contents;
  let offset = startOf(node, 0);
  for (const [index, step] of steps.entries()) {
    const last = index === steps.length - 1;
    if (isMap(node)) {
      const pair: Pair | undefined = node.items.find(({ key }) => keyText(key) === String(step));
      if (pair === undefined) return offset;
      offset = startOf(last && at === "value" ? (pair.value ?? pair.key) : pair.key, offset);
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = startOf(node, offset);
    } else return offset;
  }
  return offset;
}

function keyText(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function startOf(node: unknown, otherwise: number): number {
  return isNode(node) ? (node.range?.[0] ?? otherwise) : otherwise;
}
