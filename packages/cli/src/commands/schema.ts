/** `moorage schema`: the JSON Schema of the declaration, and of every JSON object that the command prints. */
import { readdirSync, readFileSync } from "node:fs";
import type { Run } from "../args/command-spec.ts";
import { usageError } from "../errors/cli-error.ts";
import { schemaFolder } from "../resources.ts";
import { didYouMean } from "../text/did-you-mean.ts";

export const schema: Run = (invocation, { output }) => {
  const [kind = "Agent"] = invocation.words;
  const kinds = readdirSync(schemaFolder).flatMap((file) => /^(\w+)\.schema\.json$/.exec(file)?.[1] ?? []);
  if (!kinds.includes(kind)) {
    const meant = didYouMean(kind, kinds);
    throw usageError(
      `there is no schema of ${kind}`,
      meant === undefined ? `there are: ${kinds.join(", ")}` : `did you mean ${meant}?`,
    );
  }
  output.write(readFileSync(new URL(`${kind}.schema.json`, schemaFolder), "utf8"));
  return Promise.resolve(0);
};
