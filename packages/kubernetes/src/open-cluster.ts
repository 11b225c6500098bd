/** Opens one namespace of one cluster: the ports of core over it, and what else people ask of it. */
import type { BindingProfile, Clock, Inventory, Random, Substrate } from "@moorage/core";
import { moorageProfile } from "@moorage/core";
import type { ClusterAccess } from "./cluster-access.ts";
import { Credentials } from "./credentials.ts";
import { createSubstrate } from "./substrate.ts";
import type { TransportLimits } from "./transport.ts";
import { Transport, transportLimits } from "./transport.ts";

export interface ClusterOptions {
  readonly access: ClusterAccess;
  /** What credential plugins inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  /** Milliseconds since 1970, for the end of credentials alone. */
  readonly now: () => number;
  /** Default: Moorage's own. */
  readonly profile?: BindingProfile;
  readonly limits?: Partial<TransportLimits>;
}

export interface Cluster {
  readonly namespace: string;
  readonly substrate: Substrate;
  readonly inventory: Inventory;
  /** Closes every connection. What was started goes on. */
  close(): void;
}

/** Opens nothing yet: connections are made as they are needed. */
export function openCluster(options: ClusterOptions): Cluster {
  const { access, env, now, clock, random, profile = moorageProfile } = options;
  const transport = new Transport(access, new Credentials(access, { env, now }), {
    ...transportLimits,
    ...options.limits,
  });
  const { namespace, context, server } = access;
  const substrate = createSubstrate({ transport, profile, clock, random, namespace, context, server });
  return { namespace, substrate, inventory: substrate, close: () => transport.close() };
}
