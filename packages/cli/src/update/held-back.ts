/** What is held back of a channel: contents that failed with some agent of it, under the build that it has. */
import type { Channel } from "@moorage/core";
import type { DeliveryFacts } from "@moorage/local";
import { knownLives } from "../bundle/known-lives.ts";
import type { Session } from "../session.ts";
import { channelText } from "./catalog-line.ts";
import type { NamedBundle } from "./delivery-words.ts";
import { isOf } from "./delivery-words.ts";

export interface HeldBackHere {
  readonly agent: string;
  readonly held: DeliveryFacts["heldBack"][number];
}

/** Who holds a bundle of a channel back, and why; null: nobody. */
export type HeldBackIn = (channel: Channel, bundle: NamedBundle) => HeldBackHere | null;

/** By all agents in this state directory, whether they run or not. */
export async function heldBackHere(session: Session): Promise<HeldBackIn> {
  const lives = await knownLives(session);
  return (channel, bundle) => {
    const entries = lives
      .filter(({ delivery }) => channelText(delivery.channel) === channelText(channel))
      .flatMap(({ agent, delivery }) => delivery.heldBack.map((held) => ({ agent, held })));
    return entries.find(({ held }) => isOf(held, bundle)) ?? null;
  };
}
