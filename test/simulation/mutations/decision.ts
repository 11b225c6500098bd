/** Mutations of deploy.md 3: the eight rules, and what the compiler holds. */
import type { Mutation } from "./mutation.ts";
import { mutation } from "./mutation.ts";

const remove = "return deletion(observed, ";

export const decision: readonly Mutation[] = [
  mutation(
    "3 rule 1: nothing is created",
    "classify",
    'if (observed === null) return { kind: "create" };',
    'if (observed === null) return { kind: "awaitDisappearance", name: "" };',
    "unit",
  ),
  mutation(
    "3 rule 2: a mark counts whatever else is true",
    "classify",
    "if (observed.deletion !== null) return",
    'if (observed.deletion !== null && startup.kind !== "started") return',
  ),
  mutation(
    "3 rule 3: started is left alone, also when the intent diverges",
    "classify",
    'case "started":\n',
    `case "started":\n      if (intent === "diverged") ${remove}"intentChanged");\n`,
  ),
  mutation(
    "3 rule 4: terminated makes way",
    "classify",
    'return authoriseDelete(withStartup(observed, startup), "terminated");',
    'return { kind: "observe", name, intent, cause: { code: "ended", message: "" } };',
  ),
  mutation(
    "3 rule 5: provably broken makes way",
    "classify",
    'return authoriseDelete(withStartup(observed, startup), "provablyBroken");',
    'return { kind: "observe", name, intent, cause: { code: "broken", message: "" } };',
  ),
  mutation(
    "3 rule 6: a failing pull is not deleted, also when the intent diverges",
    "classify",
    'case "pullFailing":\n',
    `case "pullFailing":\n      if (intent === "diverged") ${remove}"intentChanged");\n`,
  ),
  mutation(
    "3 rule 6: a failing pull is reported at once",
    "classify",
    'return { kind: "report", name, intent, finding: { kind: "pullFailing", failure: startup.failure } };',
    'return { kind: "observe", name, intent, cause: { code: "pull", message: "" } };',
    "unit",
  ),
  mutation(
    "3 rule 7: interrupted is only observed",
    "classify",
    'case "interrupted":\n',
    `case "interrupted":\n      if (intent === "diverged") ${remove}"intentChanged");\n`,
  ),
  mutation(
    "3 rule 7: recoverable with the same intent is observed",
    "classify",
    'return intent === "diverged"\n',
    'return intent === "diverged" || intent === "current"\n',
  ),
  mutation(
    "3 rule 7: an intent in another scheme is only observed",
    "intent",
    'return "notComparable";',
    'return "diverged";',
  ),
  mutation(
    "3 rule 8: recoverable with another intent makes way",
    "classify",
    'return intent === "diverged"\n',
    'return intent === "diverged" && observed.nodeLost !== null\n',
  ),
  mutation(
    "3 rule 8: a missing intent diverges",
    "intent",
    'case "missing":\n      return "diverged";',
    'case "missing":\n      return "current";',
    "unit",
  ),
  mutation(
    "3 what cannot be judged is reported",
    "classify",
    'case "cannotTell":\n',
    `case "cannotTell":\n      if (intent === "diverged") ${remove}"intentChanged");\n`,
  ),
  mutation(
    "3 P3: a delete carries the fence of its own observation",
    "classify",
    "    fence: instance.fence,\n",
    '    fence: { ...instance.fence, resourceVersion: "1" },\n',
  ),
  mutation(
    "3 types: no delete without authority",
    "classify",
    "export interface DeleteAction {\n  readonly [authorised]: true;",
    "export interface DeleteAction {",
    "types",
  ),
  mutation(
    "3 types: no verified instance but from the verification",
    "observation",
    "export interface VerifiedInstance {\n  readonly [verified]: true;",
    "export interface VerifiedInstance {\n  readonly [verified]?: true;",
    "types",
  ),
  mutation(
    "3 types: a pull failure is nothing that a delete accepts",
    "classify",
    '{ kind: "terminated" | "provablyBroken" | "recoverable" }',
    '{ kind: "terminated" | "provablyBroken" | "recoverable" | "pullFailing" }',
    "types",
  ),
  mutation(
    "3 types: an interrupted instance is nothing that a delete accepts",
    "classify",
    '{ kind: "terminated" | "provablyBroken" | "recoverable" }',
    '{ kind: "terminated" | "provablyBroken" | "recoverable" | "interrupted" }',
    "types",
  ),
  mutation(
    "3 types: a start has no authority of a stop",
    "classify",
    "instance: RemovableInstance, ground: DeleteGround",
    "instance: RemovableInstance, ground: Authority",
    "types",
  ),
  mutation(
    "3 types: only a digest is compared",
    "intent",
    "export type IntentDigest = string & { readonly [intentBrand]: true };",
    "export type IntentDigest = string;",
    "types",
  ),
];
