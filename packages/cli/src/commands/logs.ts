/** `moorage logs`: what agents wrote, of one as it is, of several prefixed with their names. */
import { instanceName, moorageProfile, nameIdentity } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import { mergeLogs } from "@moorage/local";
import type { Invocation, Run } from "../args/command-spec.ts";
import { CliError, usageError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import { resolveSelf } from "../inside.ts";
import { lineText } from "../log-tail.ts";
import type { Output } from "../output/output.ts";
import type { OutputChoice, OutputEvent } from "../scope/agent-scope.ts";
import { checkName, countFlag } from "../selection.ts";
import type { Session } from "../session.ts";
import { knownAgents, withSession } from "../session.ts";
import { parseDuration } from "../text/duration.ts";

export const logs: Run = async (invocation, host) => {
  const { output, interrupt } = host;
  const since = sinceFlag(invocation, Date.now());
  const tail = countFlag(invocation, "tail");
  const names = resolveSelf(invocation.words, host.env);
  return withSession(invocation, host, { mode: "read" }, async (session) => {
    const previous = invocation.flags["previous"] === true;
    const until = AbortSignal.any([interrupt, output.closed]);
    const follow = invocation.flags["follow"] === true && !previous ? until : null;
    const named = await sourcesOf(names, { previous, since, tail, follow }, session);
    const width = names.length === 1 ? 0 : Math.max(0, ...named.map(({ name }) => name.length));
    for await (const { name, event } of mergeLogs(named)) {
      if (until.aborted && output.closed.aborted) break;
      tell(name, event, width, output);
    }
    return interrupt.aborted ? exit.interrupted : exit.ok;
  });
};

interface Source {
  readonly name: string;
  readonly events: AsyncIterable<OutputEvent>;
}

/** The output of the run that is there, or of the one before. Throws `noOutput` for a name that has none. */
async function sourcesOf(
  names: readonly string[],
  choice: Omit<OutputChoice, "present">,
  session: Session,
): Promise<Source[]> {
  const { previous } = choice;
  const known = await knownAgents(session.scope);
  const wanted =
    names.length > 0
      ? names.map((agent) => ({ agent, instance: known.find((each) => each.agent === agent)?.observed.name }))
      : known.map(({ agent, observed }) => ({ agent, instance: observed.name }));
  return wanted.flatMap(({ agent, instance }) => {
    if (instance === undefined) checkName(agent);
    const name = instance ?? instanceName(moorageProfile, nameIdentity(agent, sha256));
    const events = session.scope.output(name, { ...choice, present: instance !== undefined });
    if (events !== null) return [{ name: agent, events }];
    if (names.length === 0) return [];
    throw new CliError({
      code: "noOutput",
      message: previous ? `${agent} has no earlier run whose output is still there` : `${agent} has no output here`,
      hint: previous ? `\`moorage logs ${agent}\` shows the run that is there` : "`moorage status` lists what is there",
      details: { agent },
    });
  });
}

function tell(agent: string, event: OutputEvent, width: number, output: Output): void {
  const prefix = width === 0 ? "" : `${agent.padEnd(width)} | `;
  switch (event.kind) {
    case "line": {
      const text = lineText(event.bytes);
      if (output.json)
        output.object("LogLine", {
          agent,
          at: new Date(event.time).toISOString(),
          stream: event.stream,
          text,
          ends: event.ends,
        });
      else output.write(`${output.style("dim", prefix)}${text}\n`);
      return;
    }
    case "gap":
      if (output.json) output.object("LogGap", { agent, files: "files" in event ? event.files : null });
      else output.warn(`${prefix}output was removed by rotation before it could be read`);
      return;
    case "caughtUp":
      return;
    default:
      event satisfies never;
  }
}

/** Milliseconds since 1970: a duration counts back from `now`. Throws `usage`. */
export function sinceFlag({ flags }: Invocation, now: number): number | undefined {
  const text = flags["since"];
  if (typeof text !== "string") return undefined;
  const duration = parseDuration(text, "allowed");
  if (duration.kind === "duration") return now - duration.ms;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw usageError(
      `--since: ${JSON.stringify(text)} is no time`,
      "write a duration such as 10m, or a time such as 2030-01-31T12:00:00Z",
    );
  return time;
}
