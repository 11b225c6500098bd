/** `moorage journal`: what was seen, decided and done, by every caller and supervisor of the state directory. */
import type { JournalLine } from "@moorage/local";
import type { Run } from "../args/command-spec.ts";
import { exit } from "../errors/exit-code.ts";
import { resolveSelf } from "../inside.ts";
import { countFlag } from "../selection.ts";
import { withSession } from "../session.ts";
import { clockText } from "../text/time.ts";

export const journal: Run = async (invocation, host) => {
  const { output, interrupt } = host;
  const [agent] = resolveSelf(invocation.words, host.env);
  const last = countFlag(invocation, "tail");
  const choice = { ...(agent === undefined ? {} : { agent }), ...(last === undefined ? {} : { last }) };
  return withSession(invocation, host, { mode: "read" }, async ({ scope }) => {
    const tell = (line: JournalLine): void => {
      if (output.json) output.object("JournalEntry", line);
      else output.write(`${lineText(line)}\n`);
    };
    if (invocation.flags["follow"] !== true) {
      for (const line of scope.journal.read(choice)) tell(line);
      return exit.ok;
    }
    const until = AbortSignal.any([interrupt, output.closed]);
    for await (const line of scope.journal.follow(choice, until)) tell(line);
    return interrupt.aborted ? exit.interrupted : exit.ok;
  });
};

/** `14:03:22 scribe decide noOp (rule 3): …`. */
export function lineText({ at, agent, step, code, rule, message }: JournalLine): string {
  const told = rule === null ? code : `${code} (rule ${rule})`;
  return `${clockText(at, Date.now())} ${agent} ${step} ${told}: ${message}`;
}
