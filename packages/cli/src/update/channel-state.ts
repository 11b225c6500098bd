/** What a channel has. */
import type { Channel } from "@moorage/core";
import type { MachineScope } from "../scope/agent-scope.ts";
import { storeOf } from "./catalog-line.ts";
import type { ChannelState } from "./life-text.ts";

/** Throws a `StoreError` where the store is damaged. */
export function channelState(machine: MachineScope, channel: Channel | null): ChannelState {
  if (channel === null) return { published: null, assigned: null, confirmed: null };
  const store = storeOf(machine);
  return {
    published: store.head(channel),
    assigned: store.assigned(channel),
    confirmed: store.confirmed(channel),
  };
}
