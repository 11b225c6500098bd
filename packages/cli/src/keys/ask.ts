/** A question that only a person answers: in a terminal, with yes written out. */
import { CliError } from "../errors/cli-error.ts";
import type { Host } from "../host.ts";

/** Resolves when it is yes. Throws `notConfirmedByPerson`, exit 4, for anything else and where nobody can be asked. */
export async function mustConfirm(question: string, { output, interrupt }: Host): Promise<void> {
  const answer = output.terminal ? await answerTo(question, output, interrupt) : null;
  if (answer?.trim().toLowerCase() === "yes") return;
  if (answer !== null)
    throw new CliError({
      code: "notConfirmedByPerson",
      message: "it was not confirmed, and nothing was changed",
      hint: "write yes to confirm it",
    });
  throw new CliError({
    code: "notConfirmedByPerson",
    message: `a person has to confirm it. ${question}`,
    hint: "run it in a terminal, or say so with --yes",
  });
}

/** Null where nobody can be asked. Standard input is touched here alone. */
async function answerTo(question: string, output: Host["output"], interrupt: AbortSignal): Promise<string | null> {
  const { stdin } = await import("node:process");
  if (!stdin.isTTY) return null;
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: stdin });
  try {
    output.draw(`${question}\nWrite yes to go on: `);
    return await lines.question("", { signal: interrupt });
  } finally {
    lines.close();
  }
}
