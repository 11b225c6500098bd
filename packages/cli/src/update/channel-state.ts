/** What a channel has. */
import type { BundleStore, PublishedHead } from "@moorage/bundle";
import type { Channel } from "@moorage/core";
import type { MachineScope } from "../scope/agent-scope.ts";
import { storeOf } from "./catalog-line.ts";

/** A bundle of it; the content is null where it is lost. */
export interface ChannelBundle {
  readonly sequence: number;
  readonly digest: string;
  readonly catalogHash: string | null;
}

/** What the channel has; null: nothing. */
export interface ChannelState {
  readonly published: ChannelBundle | null;
  readonly assigned: ChannelBundle | null;
  readonly confirmed: ChannelBundle | null;
  /** The numbers of all that were published, by digest. */
  readonly numbers: ReadonlyMap<string, number>;
}

export const nothingKnown: ChannelState = { published: null, assigned: null, confirmed: null, numbers: new Map() };

/** Throws a `StoreError` where the store is damaged. */
export function channelState(machine: MachineScope, channel: Channel | null): ChannelState {
  if (channel === null) return nothingKnown;
  const store = storeOf(machine);
  return {
    published: bundleOf(store, store.head(channel)),
    assigned: bundleOf(store, store.assigned(channel)),
    confirmed: bundleOf(store, store.confirmed(channel)),
    numbers: new Map(store.history(channel).map(({ sequence, digest }) => [digest, sequence] as const)),
  };
}

function bundleOf(store: BundleStore, head: PublishedHead | null): ChannelBundle | null {
  if (head === null) return null;
  const { sequence, digest } = head;
  return { sequence, digest, catalogHash: store.manifest(digest)?.catalogHash ?? null };
}
