/** A rule of the design, broken on purpose in one place of core; something has to notice. */

export interface Mutation {
  /** The section of deploy.md, and the rule in few words. */
  readonly rule: string;
  /** Below packages/core/src. */
  readonly file: string;
  /** Exactly this text, once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Who has to notice: random histories, the unit tests beside the code, or the compiler on the tests of types. */
  readonly by: "simulation" | "unit" | "types";
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
