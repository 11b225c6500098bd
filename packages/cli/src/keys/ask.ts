/** A question that only a person answers: in a terminal, with yes written out. */
import { stdin } from "node:process";
import { createInterface } from "node:readline/promises";
import { CliError } from "../errors/cli-error.ts";
import type { Host } from "../host.ts";

/** Resolves when it is yes. Throws `notConfirmedByPerson`, exit 4, for anything else and where nobody can be asked. */
export async function mustConfirm(question: string, { output, interrupt }: Host): Promise<void> {
  if (!output.terminal || stdin.isTTY !== true)
    throw new CliError({
      code: "notConfirmedByPerson",
      message: `a person has to confirm it: ${question}`,
      hint: "run it in a terminal, or say so with --yes",
    });
  const lines = createInterface({ input: stdin });
  try {
    output.draw(`${question}\nWrite yes to go on: `);
    const answer = await lines.question("", { signal: interrupt });
    if (answer.trim().toLowerCase() === "yes") return;
  } finally {
    lines.close();
  }
  throw new CliError({
    code: "notConfirmedByPerson",
    message: "it was not confirmed, and nothing was changed",
    hint: "write yes to confirm it",
  });
}
