/** One thing that is wrong with a declaration, and the error that carries all of them at once. */
import { CliError } from "../errors/cli-error.ts";

export interface Mistake {
  /** As the person named it. */
  readonly file: string;
  /** From 1; null where the file as a whole is wrong. */
  readonly line: number | null;
  readonly column: number | null;
  /** Where in the document, such as `spec.run.command[0]`; empty at its root. */
  readonly path: string;
  readonly message: string;
  /** The change that helps. */
  readonly hint: string;
}

/** A step in a document: a key, or an index in a list. */
export type Step = string | number;

/** `spec.run.command[0]` for the steps of it. A key that is no plain word stands in quotes. */
export function pathText(steps: readonly Step[]): string {
  let text = "";
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step.length > 40 ? `${step.slice(0, 40)}…` : step)}]`;
  }
  return text;
}

/** One mistake on one line, with its remedy: `agent.yaml:4:3: spec.drain: … (…)`. */
function describeMistake({ file, line, column, path, message, hint }: Mistake): string {
  const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
  return `${place}: ${path === "" ? "" : `${path}: `}${message}\n    ${hint}`;
}

/** All mistakes of a declaration as one error: exit 2, in the order of the files and lines. */
export function declarationError(mistakes: readonly Mistake[]): CliError {
  const count = mistakes.length === 1 ? "one mistake" : `${mistakes.length} mistakes`;
  return new CliError({
    code: "declarationInvalid",
    message: `the declaration has ${count}:\n${mistakes.map((mistake) => `  ${describeMistake(mistake)}`).join("\n")}`,
    hint: "correct what is listed and run the command again; `moorage schema` prints what a declaration may hold",
    details: { mistakes },
  });
}
