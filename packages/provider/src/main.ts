/** The entry point of buzz-backend-moorage: one request on standard input, one answer on standard output. */
import { createAbort } from "@moorage/core";
import type { Answer } from "./answer.ts";
import { answerLine } from "./answer.ts";
import { answerInTime } from "./due-answer.ts";
import { longestRequest, readInput } from "./input.ts";
import { writeAll } from "./output.ts";
import { respond } from "./respond.ts";

const [stdin, stdout, stderr] = [0, 1, 2];

void main();

async function main(): Promise<void> {
  // Nothing of what was thrown is told: it may show what the request holds.
  process.once("uncaughtException", () =>
    end({
      ok: false,
      error: "an unexpected fault of the provider itself; whatever runs goes on: start the agent again",
    }),
  );
  const bytes = await readInput(stdin);
  const abort = createAbort();
  // Not before there is a request: until then there is nothing that could be answered, and a signal ends the process.
  // However many come: the answer to the first is due within seconds.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => abort.abort());
  const tell = (text: string): void => void writeAll(stderr, text, 0);
  end(
    bytes === null
      ? { ok: false, error: `the request is longer than ${longestRequest} bytes` }
      : await answerInTime(respond(bytes, { env: process.env, signal: abort.signal, tell }, Math.random), abort.signal),
  );
}

function end(answer: Answer): never {
  process.exit(writeAll(stdout, answerLine(answer)) ? 0 : 1);
}
