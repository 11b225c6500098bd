/** A rule of the design, broken on purpose in one place of core; something has to notice. */

export interface Mutation {
  /** The section of deploy.md or update.md, and the rule in few words. */
  readonly rule: string;
  /** Below packages/core/src. */
  readonly file: string;
  /** Exactly this text, once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Who has to notice: random histories of starts or of updates, the unit tests beside the code, or the compiler on the tests of types. */
  readonly by: "simulation" | "updates" | "unit" | "types";
  /** Where those unit tests are: parts of their paths below packages/core/src; none: all beside the file. */
  readonly tests?: readonly string[];
}

/** Breaks a rule; random histories have to notice, unless another one is named. */
export function mutation(
  rule: string,
  file: string,
  find: string,
  replace: string,
  by: Mutation["by"] = "simulation",
): Mutation {
  return { rule, file: `deploy/${file}.ts`, find, replace, by };
}

/** Breaks a rule of update.md; the tests of that part have to notice, by table or by random histories of their own. */
export function broken(
  tests: readonly string[],
): (rule: string, file: string, find: string, replace: string, by?: "unit" | "types") => Mutation {
  return (rule, file, find, replace, by = "unit") => ({ rule, file: `${file}.ts`, find, replace, by, tests });
}

/** Breaks a rule of update.md; random histories of a fleet have to notice. */
export function inFleet(rule: string, file: string, find: string, replace: string): Mutation {
  return { rule, file: `${file}.ts`, find, replace, by: "updates" };
}
