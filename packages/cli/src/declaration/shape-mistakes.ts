/** From the shape check's issues to mistakes in people's words: one for each wrong key or value. */
import type * as z from "zod/mini";
import { didYouMean } from "../text/did-you-mean.ts";
import type { Step } from "./mistake.ts";
import type { Fault } from "./names.ts";
import { faultOfText } from "./shape-parts.ts";

/** A mistake that still has to be found in the file. `at` says whether the key or its value is meant. */
export interface ShapeMistake extends Fault {
  readonly steps: readonly Step[];
  readonly at: "key" | "value";
}

type Issue = z.core.$ZodIssue;

/** Keys that belong elsewhere in a declaration than where people like to write them. */
const homes: Readonly<Record<string, string>> = {
  name: "metadata.name",
  command: "spec.run.command",
  args: "spec.run.args",
  image: "spec.run.image",
  harness: "spec.run.harness",
  files: "spec.run.files",
  keyFrom: "spec.identity.keyFrom",
  fleet: "spec.fleet",
  env: "spec.env",
  secretEnv: "spec.secretEnv",
  drain: "spec.drain",
  grace: "spec.grace",
  idle: "spec.idle",
  revive: "spec.revive",
  catalog: "spec.catalog",
  health: "spec.health",
  resources: "spec.kubernetes.resources",
  serviceAccount: "spec.kubernetes.serviceAccount",
  nodeSelector: "spec.kubernetes.nodeSelector",
  tolerations: "spec.kubernetes.tolerations",
};

/** All mistakes behind the issues; `value` is what was checked. */
export function shapeMistakes(issues: readonly Issue[], value: unknown, from: readonly Step[] = []): ShapeMistake[] {
  return issues.flatMap((issue) => mistakesOf(issue, value, from));
}

function mistakesOf(issue: Issue, value: unknown, from: readonly Step[]): ShapeMistake[] {
  const steps = [...from, ...issue.path.map((step) => (typeof step === "number" ? step : String(step)))];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(key, steps, knownKeys(issue.message)));
    case "invalid_key":
      return shapeMistakes(issue.issues, value, steps).map((mistake) => ({ ...mistake, steps, at: "key" as const }));
    case "invalid_union":
      return shapeMistakes(closestBranch(issue.errors), value, steps);
    case "invalid_type":
      return [{ steps, at: "value", ...typeFault(issue.expected, valueAt(value, steps), issue.message) }];
    case "invalid_value":
      if (valueAt(value, steps) === undefined)
        return [{ steps, at: "value", message: "is missing", hint: `write ${issue.values.map(String).join(" or ")}` }];
      return [
        { steps, at: "value", ...(faultOfText(issue.message) ?? { message: issue.message, hint: "correct it" }) },
      ];
    default:
      return [
        { steps, at: "value", ...(faultOfText(issue.message) ?? { message: issue.message, hint: "correct it" }) },
      ];
  }
}

/** The branch that was meant: one that takes such a value as a whole and complains of something within it, else of the whole. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const ofWhole = (issues: readonly Issue[], code: string): boolean =>
    issues.some((issue) => issue.path.length === 0 && issue.code === code);
  const ofRightType = branches.filter((issues) => issues.length > 0 && !ofWhole(issues, "invalid_type"));
  return ofRightType.find((issues) => !ofWhole(issues, "invalid_value")) ?? ofRightType[0] ?? branches[0] ?? [];
}

function knownKeys(text: string): readonly string[] {
  return text.startsWith("[") ? (JSON.parse(text) as string[]) : [];
}

function unknownKey(key: string, steps: readonly Step[], known: readonly string[]): ShapeMistake {
  const meant = didYouMean(key, known);
  const home = Object.hasOwn(homes, key) ? homes[key] : undefined;
  let hint = `it knows: ${known.join(", ")}`;
  if (meant !== undefined) hint = `did you mean ${meant}?`;
  else if (home !== undefined) hint = `it belongs in ${home}`;
  return { steps: [...steps, key], at: "key", message: "unknown key", hint };
}

const typeWords: Readonly<Record<string, string>> = {
  string: "a text",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  array: "a list",
  object: "keys and values",
  record: "keys and values",
};

function typeFault(expected: string, given: unknown, text: string): Fault {
  const wanted = typeWords[expected] ?? expected;
  if (given === undefined) return { message: "is missing", hint: `write ${wanted}` };
  const own = faultOfText(text);
  if (own !== undefined) return own;
  const message = `is ${typeName(given)} in the place of ${wanted}`;
  if (given === null) return { message, hint: "write a value, or leave the key out" };
  if (expected === "string" && (typeof given === "number" || typeof given === "boolean"))
    return { message, hint: `put it in quotes: ${JSON.stringify(String(given))}` };
  if (expected === "array" && typeof given === "string")
    return { message, hint: "put it in brackets, word by word, such as [node, agent.ts]" };
  return { message, hint: `write ${wanted}` };
}

function typeName(given: unknown): string {
  if (given === null) return "empty";
  if (Array.isArray(given)) return "a list";
  if (typeof given === "object") return "keys and values";
  if (typeof given === "string") return "a text";
  return typeof given === "boolean" ? "true or false" : "a number";
}

function valueAt(value: unknown, steps: readonly Step[]): unknown {
  let found = value;
  for (const step of steps) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Object.hasOwn(found, step) ? (found as Record<Step, unknown>)[step] : undefined;
  }
  return found;
}
