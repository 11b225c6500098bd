/** What the agents of this state directory have made of a channel's bundles: who uses which, on which they can fall back, and with whom one failed. */
import type { Channel } from "@moorage/core";
import type { DeliveryFacts } from "@moorage/local";
import type { Session } from "../session.ts";
import { knownAgents } from "../session.ts";
import { channelText } from "../update/catalog-line.ts";
import type { NamedBundle } from "../update/delivery-words.ts";
import { isOf } from "../update/delivery-words.ts";

export interface MadeOfIt {
  /** Names of agents. */
  readonly usedBy: readonly string[];
  /** One of them has proven the content, under this number or another. */
  readonly proven: boolean;
  /** Names of agents that hold it back, under the build that they have. */
  readonly failedWith: readonly string[];
}

interface KnownLife {
  readonly agent: string;
  readonly delivery: DeliveryFacts;
}

/** Of all agents that are here, whether they run or not. */
export async function knownLives({ scope }: Session): Promise<readonly KnownLife[]> {
  const names = new Map((await knownAgents(scope)).map(({ agent, observed }) => [observed.name, agent] as const));
  return (await scope.facts()).flatMap(({ name, process }) => {
    const agent = names.get(name);
    const delivery = process?.delivery ?? null;
    return agent === undefined || delivery === null ? [] : [{ agent, delivery }];
  });
}

export function madeOf(lives: readonly KnownLife[], channel: Channel, bundle: NamedBundle): MadeOfIt {
  const ofChannel = lives.filter(({ delivery }) => channelText(delivery.channel) === channelText(channel));
  const names = (which: (delivery: DeliveryFacts) => boolean): string[] =>
    ofChannel.filter(({ delivery }) => which(delivery)).map(({ agent }) => agent);
  return {
    usedBy: names(({ inUse }) => inUse?.digest === bundle.digest),
    // Its digest is another one under every number.
    proven: ofChannel.some(
      ({ delivery: { lastGood } }) => lastGood !== null && lastGood.catalogHash === bundle.catalogHash,
    ),
    failedWith: names(({ heldBack }) => heldBack.some((held) => isOf(held, bundle))),
  };
}
