/** `moorage update status`: where each agent is with its bundle and its build, and what waits for what. */
import { openMailbox, usualTrial, waitingNotices } from "@moorage/core";
import type { DeliveryFacts } from "@moorage/local";
import type { Invocation, Run } from "../args/command-spec.ts";
import { movesUnderWay } from "../cold-move/under-way.ts";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import { resolveSelf } from "../inside.ts";
import type { Output } from "../output/output.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import { declaredIfAny } from "../selection.ts";
import type { Session } from "../session.ts";
import type { AgentStatus } from "../status/agent-status.ts";
import { readStatus } from "../status/read-status.ts";
import { shortHash } from "../update/bundle-name.ts";
import { channelText } from "../update/catalog-line.ts";
import type { ChannelState } from "../update/channel-state.ts";
import { channelState } from "../update/channel-state.ts";
import { lifeLines } from "../update/life-text.ts";
import { nextBuild } from "../update/next-build.ts";
import { mailText } from "../update/waiting-mail.ts";
import { withMachine } from "../update/with-machine.ts";

interface UpdatedAgent {
  readonly agent: string;
  readonly agentId: string;
  readonly state: string;
  readonly delivery: DeliveryFacts | null;
  readonly channel: ChannelState;
  readonly buildId: string | null;
  readonly nextBuildId: string | null;
}

export const updateStatus: Run = async (invocation, host) => {
  const names = resolveSelf(invocation.words, host.env);
  return withMachine(invocation, host, "read", async (session, machine) => {
    const { output } = host;
    const declared = await declaredOrNone(invocation, host);
    const { agents, bakes, tried } = await readAgents(names, declared, session, machine);
    const mail = await openMailbox(machine.documents, session.random).list();
    const waiting = waitingNotices(mail.notices, Date.now()).length;
    const moves = (await movesUnderWay(session.scope)).map(({ fleet, sentence }) => ({ fleet, sentence }));
    if (output.json) output.object("UpdateStatus", { agents: agents.map(agentJson), waiting, moves });
    for (const [index, agent] of agents.entries())
      for (const line of agentLines(agent, bakes[index] ?? usualTrial.bakeMs, tried.get(agent.agent) ?? [], output))
        output.line(line);
    if (agents.length === 0) output.line("no agent is here; `moorage deploy` starts what agent.yaml declares");
    for (const { sentence } of moves) output.line(sentence);
    if (waiting > 0) output.line(mailText(waiting));
    return exit.ok;
  });
};

interface Updated {
  readonly agents: readonly UpdatedAgent[];
  /** How long the trial of each takes, in milliseconds. */
  readonly bakes: readonly number[];
  /** By agent: the others that have what is published last in its channel. */
  readonly tried: ReadonlyMap<string, readonly string[]>;
}

/** A declaration tells what a start would use; without one, or with a broken one, what runs is told all the same. */
async function declaredOrNone(invocation: Invocation, host: Host): Promise<DeclaredAgent[]> {
  try {
    return await declaredIfAny(invocation, host.cwd);
  } catch (error) {
    if (!(error instanceof CliError) || invocation.flags["file"] !== undefined) throw error;
    host.output.warn(`what a start would use cannot be told: ${error.message}`);
    return [];
  }
}

async function readAgents(
  names: readonly string[],
  declared: readonly DeclaredAgent[],
  session: Session,
  machine: MachineScope,
): Promise<Updated> {
  const facts = new Map((await session.scope.facts()).map((each) => [each.name, each] as const));
  const statuses = await readStatus(session, { names, declared: null });
  const missing = statuses.find(({ agentId }) => agentId === null);
  if (missing !== undefined)
    throw new CliError({
      code: "noSuchAgent",
      message: `no agent ${missing.agent} is here`,
      hint: "`moorage status` lists what is there",
    });
  const bakes: number[] = [];
  const agents = statuses.map((status): UpdatedAgent => {
    const { agent, state } = status;
    const agentId = status.agentId ?? "";
    const process = facts.get(agentId)?.process ?? null;
    const delivery = process?.delivery ?? null;
    bakes.push(process?.template.catalog?.trial?.bakeMs ?? usualTrial.bakeMs);
    const own = declared.find(({ name, source }) => name === agent && source === status.source);
    return {
      agent,
      agentId,
      state,
      delivery,
      channel: channelState(machine, delivery?.channel ?? null),
      buildId: process?.template.buildId ?? null,
      nextBuildId: own === undefined ? null : nextBuild(own),
    };
  });
  const everyone = names.length === 0 ? statuses : await readStatus(session, { names: [], declared: null });
  const tried = new Map(agents.map((agent) => [agent.agent, othersWithNewest(agent, everyone)] as const));
  return { agents, bakes, tried };
}

function othersWithNewest({ agent, channel, delivery }: UpdatedAgent, everyone: readonly AgentStatus[]): string[] {
  const { published } = channel;
  if (published === null || delivery === null) return [];
  const mine = channelText(delivery.channel);
  return everyone
    .filter((other) => other.agent !== agent && other.state === "running")
    .filter((other) => other.delivery !== null && channelText(other.delivery.channel) === mine)
    .filter((other) => other.delivery?.inUse?.digest === published.digest)
    .map((other) => other.agent);
}

/** Of the channel the sequences. */
function agentJson({ channel, ...rest }: UpdatedAgent): object {
  const { published, assigned, confirmed } = channel;
  return {
    ...rest,
    published: published?.sequence ?? null,
    assigned: assigned?.sequence ?? null,
    confirmed: confirmed?.sequence ?? null,
  };
}

function agentLines(agent: UpdatedAgent, bakeMs: number, triedBy: readonly string[], output: Output): string[] {
  const { delivery, buildId, nextBuildId, state, channel } = agent;
  const runs = state !== "ended" && state !== "broken";
  const lines =
    delivery === null
      ? ["no bundles are delivered to it"]
      : lifeLines(delivery, { channel, bakeMs, runs, triedBy }, Date.now());
  if (buildId !== null) {
    const build = `${runs ? "runs" : "ran"} build ${shortHash(buildId)}`;
    lines.push(
      nextBuildId === null || nextBuildId === buildId ? build : `${build}, next start ${shortHash(nextBuildId)}`,
    );
  }
  return [`${output.style("bold", agent.agent)}: ${state}`, ...lines.map((line) => `  ${line}`)];
}
