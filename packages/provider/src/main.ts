/** The entry point of buzz-backend-moorage: one request on standard input, one answer on standard output. */
import { createAbort } from "@moorage/core";
import { answerLine } from "./answer.ts";
import { longestRequest, readInput } from "./input.ts";
import { writeAll } from "./output.ts";
import { respond } from "./respond.ts";

const [stdin, stdout, stderr] = [0, 1, 2];

void main();

async function main(): Promise<void> {
  // What was thrown may show what the request holds.
  process.once("uncaughtException", () => {
    writeAll(stderr, "buzz-backend-moorage: an unexpected fault; no answer is given\n");
    process.exit(1);
  });
  const bytes = await readInput(stdin);
  const abort = createAbort();
  // Not before there is a request: until then there is nothing that could be answered, and a signal ends the process.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => abort.abort());
  const tell = (text: string): void => void writeAll(stderr, text);
  const answer =
    bytes === null
      ? ({ ok: false, error: `the request is longer than ${longestRequest} bytes` } as const)
      : await respond(bytes, { env: process.env, signal: abort.signal, tell }, Math.random);
  process.exit(writeAll(stdout, answerLine(answer)) ? 0 : 1);
}
