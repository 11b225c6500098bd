/** `moorage status`: one line an agent, once or at every change. */
import type { Invocation, Run } from "../args/command-spec.ts";
import { movesUnderWay } from "../cold-move/under-way.ts";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { usageError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import { resolveSelf } from "../inside.ts";
import type { Output } from "../output/output.ts";
import type { Session } from "../session.ts";
import { withSession } from "../session.ts";
import type { AgentStatus } from "../status/agent-status.ts";
import type { StatusChoice } from "../status/read-status.ts";
import { readStatus } from "../status/read-status.ts";
import { statusTable } from "../status/status-table.ts";
import { mailText, waitingMail } from "../update/waiting-mail.ts";

export const status: Run = async (invocation, host) => {
  const choice = await choiceOf(invocation, host);
  return withSession(invocation, host, { mode: "read" }, async (session) => {
    if (invocation.flags["watch"] === true) return watch(session, choice, host);
    const agents = await readStatus(session, choice);
    const waiting = await waitingMail(session.scope, session);
    if (host.output.json) host.output.object("StatusResult", { scope: session.scope.substrate.scope, agents, waiting });
    else {
      for (const line of statusLines(agents, waiting, choice, host.output)) host.output.line(line);
      for (const line of await closedFleets(session)) host.output.line(line);
    }
    return exit.ok;
  });
};

/** Why a fleet is down that nobody stopped: its cold move is under way, or held. One that is only proposed has its notice. */
async function closedFleets({ scope }: Session): Promise<string[]> {
  return (await movesUnderWay(scope)).flatMap(({ move, sentence }) =>
    move?.state.kind === "proposed" ? [] : [sentence],
  );
}

async function choiceOf(invocation: Invocation, { cwd, env }: Host): Promise<StatusChoice> {
  const names = resolveSelf(invocation.words, env);
  if (invocation.flags["fleet"] !== true && invocation.flags["file"] === undefined) return { names, declared: null };
  // Only here: a plain status reads no declaration.
  const { checkDeclared, declaredAgents } = await import("../selection.ts");
  const declared = await declaredAgents(invocation, cwd);
  for (const name of names) checkFleetWord(name, declared);
  return {
    names,
    declared: names.length === 0 ? declared : [...new Set(names)].map((name) => checkDeclared(name, declared)),
  };
}

/** The flag takes no value: a word behind it names an agent. */
function checkFleetWord(word: string, declared: readonly DeclaredAgent[]): void {
  if (declared.some(({ name }) => name === word)) return;
  const members = declared.filter(({ fleet }) => fleet === word).map(({ name }) => name);
  if (members.length > 0)
    throw usageError(
      `${word} is a fleet, and a word here names an agent`,
      `run \`moorage status --fleet\` for all of them, or name one of: ${members.join(", ")}`,
    );
}

function statusLines(agents: readonly AgentStatus[], waiting: number, choice: StatusChoice, output: Output): string[] {
  return [...agentLines(agents, choice, output), ...(waiting === 0 ? [] : [mailText(waiting)])];
}

function agentLines(agents: readonly AgentStatus[], { declared }: StatusChoice, output: Output): string[] {
  if (agents.length === 0) return ["no agent is here; `moorage deploy` starts what agent.yaml declares"];
  const now = Date.now();
  if (declared === null) return statusTable(agents, output, now);
  const fleets = [...new Set(agents.map(({ fleet }) => fleet))];
  return fleets.flatMap((fleet) => {
    const members = agents.filter((agent) => agent.fleet === fleet);
    const running = members.filter(({ state }) => state === "running").length;
    return [
      output.style("bold", `fleet ${fleet ?? "-"}: ${running} of ${members.length} running`),
      ...statusTable(members, output, now),
    ];
  });
}

async function watch(session: Session, choice: StatusChoice, host: Host): Promise<number> {
  const { output, interrupt } = host;
  const until = AbortSignal.any([interrupt, output.closed]);
  let drawn = 0;
  let told = "";
  while (!until.aborted) {
    const began = session.clock.now();
    const agents = await readStatus(session, choice);
    const waiting = await waitingMail(session.scope, session);
    const tookMs = session.clock.now() - began;
    if (output.json) {
      const key = JSON.stringify([waiting, ...agents.map(lasting)]);
      if (key !== told) output.object("StatusResult", { scope: session.scope.substrate.scope, agents, waiting });
      told = key;
    } else if (output.terminal) {
      const lines = statusLines(agents, waiting, choice, output);
      output.draw(`${drawn === 0 ? "" : `\u001b[${drawn}A\u001b[0J`}${output.shown(lines.join("\n"))}\n`);
      drawn = lines.length;
    } else {
      const key =
        agents.length === 0
          ? "no agent is here"
          : agents
              .map((agent) => `${agent.agent}: ${agent.state}${agent.reason === null ? "" : `, ${agent.reason}`}`)
              .join("\n");
      if (key !== told) output.line(key);
      told = key;
    }
    await session.scope.changed(session.scope.lookMs, until);
    // Of a thousand agents one always changes: looking takes half of the time at most.
    await session.clock.sleep(tookMs, until);
  }
  return interrupt.aborted ? exit.interrupted : exit.ok;
}

/** What of a status is news: not what moves all the time. */
function lasting({ memoryBytes: _, cpuMs: __, ...rest }: AgentStatus): object {
  return rest;
}
