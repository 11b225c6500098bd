/** How many agents that run would take a bundle: those of its channel, and of these the ones with its formats. */
import type { Manifest } from "@moorage/bundle";
import { axes, moorageProfile, readNotes } from "@moorage/core";
import { defaultFormats } from "../declaration/agent.ts";
import type { Session } from "../session.ts";
import { knownAgents } from "../session.ts";

export interface Matching {
  /** Agents of the channel that run. */
  readonly running: number;
  readonly matching: number;
}

export async function matchingAgents(
  { channel, target }: Pick<Manifest, "channel" | "target">,
  { scope }: Session,
): Promise<Matching> {
  const facts = new Map((await scope.facts()).map((one) => [one.name, one] as const));
  const formats = (await knownAgents(scope)).flatMap(({ observed }) => {
    const { fleet, catalog } = readNotes(observed, moorageProfile);
    const running = facts.get(observed.name)?.process;
    const isOurs = fleet === channel.fleet && catalog === channel.catalog;
    if (!isOurs || running === undefined || running === null || running.supervisor.state !== "alive") return [];
    return [running.template.fingerprint ?? defaultFormats];
  });
  return {
    running: formats.length,
    matching: formats.filter((one) => axes.every((axis) => one[axis] === target[axis])).length,
  };
}
