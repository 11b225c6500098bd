/** What is held back of a channel: contents that failed with some agent of it, under the build that it has. */
import type { Channel } from "@moorage/core";
import type { DeliveryFacts } from "@moorage/local";
import type { Session } from "../session.ts";
import { knownAgents } from "../session.ts";
import { channelText } from "./catalog-line.ts";
import type { NamedBundle } from "./delivery-words.ts";
import { isOf } from "./delivery-words.ts";

type HeldBack = DeliveryFacts["heldBack"][number];

export interface HeldBackHere {
  readonly agent: string;
  readonly held: HeldBack;
}

/** Of all agents in this state directory that listen to the channel, whether they run or not. */
export async function heldBackOf(channels: readonly Channel[], { scope }: Session): Promise<HeldBackIn> {
  const names = new Map((await knownAgents(scope)).map(({ agent, observed }) => [observed.name, agent] as const));
  const entries = new Map<string, HeldBackHere[]>(channels.map((channel) => [channelText(channel), []] as const));
  for (const { name, process } of await scope.facts()) {
    const { channel, heldBack = [] } = process?.delivery ?? {};
    const agent = names.get(name);
    if (channel === undefined || agent === undefined) continue;
    entries.get(channelText(channel))?.push(...heldBack.map((held) => ({ agent, held })));
  }
  return (channel, bundle) => (entries.get(channelText(channel)) ?? []).find(({ held }) => isOf(held, bundle)) ?? null;
}

/** Who holds a bundle of a channel back, and why; null: nobody. */
export type HeldBackIn = (channel: Channel, bundle: NamedBundle) => HeldBackHere | null;
