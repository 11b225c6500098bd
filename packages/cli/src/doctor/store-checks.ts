/** What doctor says of the bundles in a state directory: each record of a channel that cannot be read, and what makes it whole again. */
import type { BundleStore } from "@moorage/bundle";
import { StoreError } from "@moorage/bundle";
import type { Channel } from "@moorage/core";
import { channelText } from "../update/catalog-line.ts";
import type { Check } from "./check.ts";
import { problem } from "./check.ts";

/** Nothing for channels that are whole. */
export function storeChecks(store: BundleStore, channels: readonly Channel[]): Check[] {
  const byText = new Map(channels.map((channel) => [channelText(channel), channel] as const));
  return [...byText.values()].flatMap((channel) => [
    ...faultOf(
      () => store.history(channel),
      "restore it from a copy of the state directory; until then nothing is published there, and what runs goes on with what it has",
    ),
    ...faultOf(
      () => store.assigned(channel),
      "take away what lies there and run `moorage update apply`: it gives the fleet what is published last",
    ),
    ...faultOf(
      () => store.confirmed(channel),
      "take away what lies there: it is written again with the next bundle that an agent confirms",
    ),
  ]);
}

function faultOf(look: () => unknown, damaged: string): Check[] {
  try {
    look();
    return [];
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return [problem("bundles", error.message, error.code === "storeCorrupt" ? damaged : error.hint)];
  }
}
