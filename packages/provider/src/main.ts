/** The entry point of buzz-backend-moorage: one request on standard input, one answer on standard output. */
import { userInfo } from "node:os";
import type { Journal } from "@moorage/core";
import { createAbort, redactor } from "@moorage/core";
import { systemRandom } from "@moorage/keys";
import { answerLine } from "./answer.ts";
import { longestRequest, readInput } from "./input.ts";
import { diagnostics, writeAll } from "./output.ts";
import { respond } from "./respond.ts";

const [stdin, stdout, stderr] = [0, 1, 2];

await main();

async function main(): Promise<void> {
  // A fault that nobody has caught: nothing of it may show what the request holds.
  process.once("uncaughtException", () => {
    writeAll(stderr, "buzz-backend-moorage: an unexpected fault; no answer was given\n");
    process.exit(1);
  });
  const bytes = await readInput(stdin);
  const abort = createAbort();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => abort.abort());
  const answer =
    bytes === null
      ? ({ ok: false, error: `the request is longer than ${longestRequest} bytes` } as const)
      : await respond(bytes, { env: process.env, home: home(), random: systemRandom, signal: abort.signal, begin });
  process.exit(writeAll(stdout, answerLine(answer)) ? 0 : 1);
}

function begin(secrets: readonly string[]): Journal {
  const tell = diagnostics(stderr, redactor(secrets));
  return { append: ({ step, message }) => tell(`${step}: ${message}`) };
}

/** A desktop may start it without HOME: then the system knows. */
function home(): string | null {
  const told = process.env["HOME"];
  if (told !== undefined && told !== "") return told;
  try {
    return userInfo().homedir;
  } catch {
    return null;
  }
}
