/** `moorage journal`: what was seen, decided and done, by every caller and supervisor of the scope on this machine; beside it, what a cluster tells. */
import type { ClusterEvent } from "@moorage/kubernetes";
import type { JournalLine } from "@moorage/local";
import type { Run } from "../args/command-spec.ts";
import { exit } from "../errors/exit-code.ts";
import { resolveSelf } from "../inside.ts";
import type { Output } from "../output/output.ts";
import type { AgentScope } from "../scope/agent-scope.ts";
import { countFlag } from "../selection.ts";
import { knownAgents, withSession } from "../session.ts";
import { clockText } from "../text/time.ts";

type Told =
  | { readonly line: JournalLine; readonly event: null }
  | { readonly line: null; readonly event: ClusterEvent };

export const journal: Run = async (invocation, host) => {
  const { output, interrupt } = host;
  const [agent] = resolveSelf(invocation.words, host.env);
  const last = countFlag(invocation, "tail");
  return withSession(invocation, host, { mode: "read" }, async ({ scope }) => {
    const names = await instanceNames(scope, agent);
    const choice = { ...(agent === undefined ? {} : { agent }), ...(last === undefined ? {} : { last }) };
    const told = together(scope.journal.read(choice), (await scope.events()).filter(names));
    for (const one of last === undefined ? told : told.slice(-last)) tell(one, output);
    if (invocation.flags["follow"] !== true) return exit.ok;
    const until = AbortSignal.any([interrupt, output.closed]);
    await Promise.all([followLines(scope, agent, until, output), followEvents(scope, names, until, output)]);
    return interrupt.aborted ? exit.interrupted : exit.ok;
  });
};

/** Which objects of the cluster are meant: those of one agent, or all. */
async function instanceNames(scope: AgentScope, agent: string | undefined): Promise<(event: ClusterEvent) => boolean> {
  if (agent === undefined || scope.on === "local") return () => true;
  const names = new Set((await knownAgents(scope)).flatMap((each) => (each.agent === agent ? each.observed.name : [])));
  return ({ object }) => names.has(object);
}

async function followLines(
  scope: AgentScope,
  agent: string | undefined,
  until: AbortSignal,
  output: Output,
): Promise<void> {
  // What is there has been told.
  const choice = { ...(agent === undefined ? {} : { agent }), last: 0 };
  for await (const line of scope.journal.follow(choice, until)) tell({ line, event: null }, output);
}

async function followEvents(
  scope: AgentScope,
  names: (event: ClusterEvent) => boolean,
  until: AbortSignal,
  output: Output,
): Promise<void> {
  for await (const event of scope.followEvents(until)) if (names(event)) tell({ line: null, event }, output);
}

function together(lines: readonly JournalLine[], events: readonly ClusterEvent[]): Told[] {
  const all: Told[] = [
    ...lines.map((line) => ({ line, event: null })),
    ...events.map((event) => ({ line: null, event })),
  ];
  if (events.length === 0) return all;
  const at = ({ line, event }: Told): number => Date.parse((line ?? event).at);
  return all.sort((one, other) => at(one) - at(other));
}

function tell({ line, event }: Told, output: Output): void {
  if (line !== null) {
    if (output.json) output.object("JournalEntry", line);
    else output.write(`${lineText(line)}\n`);
  } else if (output.json) output.object("ClusterEvent", event);
  else output.write(`${eventText(event)}\n`);
}

/** `14:03:22 scribe decide noOp (rule 3): …`. */
export function lineText({ at, agent, step, code, rule, message }: JournalLine): string {
  const told = rule === null ? code : `${code} (rule ${rule})`;
  return `${clockText(at, Date.now())} ${agent} ${step} ${told}: ${message}`;
}

/** The same for people who read of one agent: `14:03:22 it runs and is left alone (rule 3)`. */
export function stepText({ at, rule, message }: JournalLine): string {
  return `${clockText(at, Date.now())} ${message}${rule === null ? "" : ` (rule ${rule})`}`;
}

/** `14:03:22 ag-0123456789ab FailedScheduling (3 times): …`. */
export function eventText({ at, object, reason, message, count }: ClusterEvent): string {
  return `${clockText(at, Date.now())} ${object} ${reason}${count > 1 ? ` (${count} times)` : ""}: ${message}`;
}
