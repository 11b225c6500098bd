/** The one redactor that everything printed, returned or stored passes: it knows a request's secret values and the shapes of keys. */
import { secretForms } from "./secret-forms.ts";
import { secretShapes } from "./secret-shapes.ts";

export type Redactor = (text: string) => string;

/** Shorter than the shortest value that is looked for, so that it can never be, or complete, one. */
const hidden = "***";

/**
 * Hides every known value (four characters and more, the longest first; escaped and encoded as well) and whatever looks
 * like a key or a token. Redacting twice changes nothing.
 */
export function redactor(secretValues: Iterable<string>): Redactor {
  const values = [...secretValues];
  // Made when first needed: most calls print nothing that has to pass.
  let forms: readonly string[] | null = null;
  return (text) => {
    forms ??= secretForms(values);
    let before: string;
    let after = text;
    // What is left of and right of a hidden place may form a value with it, hence again until nothing changes.
    do {
      before = after;
      for (const form of forms) if (after.includes(form)) after = after.replaceAll(form, hidden);
      for (const { pattern, instead } of secretShapes) after = after.replace(pattern, instead);
    } while (after !== before);
    return after;
  };
}
