/** What is wrong with a catalog or with a file of ours: each flaw with its place, and the error that carries them all. */

/** A step into a document: a key, or an index in a list. */
export type Step = string | number;

export interface Flaw {
  /** A word for programs, such as `duplicateKey`. */
  readonly code: string;
  /** Below the catalog, or as the person named it. */
  readonly file: string;
  /** From 1; null where the file as a whole is wrong. */
  readonly line: number | null;
  readonly column: number | null;
  /** Where in the document, such as `tools[0].name`; empty at its root and where there is no document. */
  readonly path: string;
  readonly message: string;
  /** The change that helps. */
  readonly hint: string;
}

/** Flaws beyond these are counted alone: whoever has so many has one cause. */
const shownAtMost = 50;

/** `code` is that of the first flaw. */
export class BundleError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly flaws: readonly Flaw[];

  constructor(what: string, flaws: readonly [Flaw, ...Flaw[]]) {
    const shown = flaws.slice(0, shownAtMost);
    const more = flaws.length > shown.length ? `\n  and ${flaws.length - shown.length} more` : "";
    super(flaws.length === 1 ? `${what}: ${flawText(flaws[0])}` : `${what}:\n${listed(shown)}${more}`);
    this.name = "BundleError";
    this.code = flaws[0].code;
    this.hint = flaws[0].hint;
    this.flaws = flaws;
  }
}

/** A flaw of a file as a whole. */
export function fileFlaw(code: string, file: string, message: string, hint: string): Flaw {
  return { code, file, line: null, column: null, path: "", message, hint };
}

/** Throws all that was found, if anything was. */
export function throwFlaws(what: string, flaws: readonly Flaw[]): void {
  const [first, ...rest] = flaws;
  if (first !== undefined) throw new BundleError(what, [first, ...rest]);
}

/** `prompts/a.json:4:3: tools[0].name: the key "x" is there twice`. */
export function flawText({ file, line, column, path, message }: Flaw): string {
  const place = line === null ? file : `${file}:${line}${column === null ? "" : `:${column}`}`;
  return `${place}: ${path === "" ? "" : `${path}: `}${message}`;
}

/** `spec.run[0]` for the steps of it. A key that is no plain word stands in quotes. */
export function pathText(steps: readonly Step[]): string {
  let text = "";
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${shown(step)}]`;
  }
  return text;
}

/** A text of somebody else's as a message may hold it: in quotes, ASCII alone, not long. */
export function shown(text: string): string {
  const cut = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return JSON.stringify(cut).replace(
    /[^ -~\u2026]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function listed(flaws: readonly Flaw[]): string {
  return flaws.map((flaw) => `  ${flawText(flaw)}`).join("\n");
}
