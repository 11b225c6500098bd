/** Opens one namespace of one cluster: the ports of core over it, and what else people ask of it. */
import type { Abort, Clock, Condition, Inventory, Random, Substrate } from "@moorage/core";
import { createAbort } from "@moorage/core";
import type { Check } from "./check.ts";
import { checkCluster } from "./check-cluster.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import type { ClusterEvent } from "./cluster-event.ts";
import { Credentials } from "./credentials.ts";
import type { EventChoice } from "./events.ts";
import { Events } from "./events.ts";
import type { PodFacts } from "./facts.ts";
import { Facts } from "./facts.ts";
import { readWhyWaiting } from "./look-at-waiting.ts";
import { Metrics } from "./metrics.ts";
import { PodChanges } from "./pod-changes.ts";
import { readPodLog } from "./pod-log.ts";
import type { PodLogEvent, PodLogRequest } from "./pod-log-event.ts";
import type { PodProfile } from "./pod-profile.ts";
import { mooragePods } from "./pod-profile.ts";
import type { ClusterScope } from "./requests.ts";
import { requestsTo } from "./requests.ts";
import { StopGrace } from "./stop-grace.ts";
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
  readonly profile?: PodProfile;
  readonly limits?: Partial<TransportLimits>;
}

/** What is asked for people throws a `ClusterError` where it is refused, or where nobody answers. */
export interface Cluster {
  readonly namespace: string;
  readonly substrate: Substrate;
  readonly inventory: Inventory;
  /** Of all pods of ours, or of those with these names, in the order of their names; those that are not there are missing. */
  facts(names?: readonly string[]): Promise<readonly PodFacts[]>;
  /** The cluster's own Events of one pod, or of all of ours, oldest first. */
  events(choice?: EventChoice): Promise<readonly ClusterEvent[]>;
  /** Of all pods of ours: what comes after the last `events`, or after this call. Ends, without an error, when the signal aborts. */
  followEvents(signal: Abort): AsyncIterable<ClusterEvent>;
  /** Why a start waits, better than the pod alone tells it; null when it does not wait, or nobody knows more. For words only. */
  whyWaiting(name: string): Promise<Condition | null>;
  /** What the agent wrote. Throws a `ClusterError` that says why there is nothing to read. */
  podLog(request: PodLogRequest): AsyncIterable<PodLogEvent>;
  /**
   * A person's word: from its next delete on, the pod gets `ms` milliseconds to end, in whole seconds and at least one.
   * Of one that is ending already that is put on record at once; but kubelets up to 1.35 go on with the grace of the
   * first delete (kubernetes/kubernetes#83916), so nobody may be told that it ends sooner.
   */
  setStopGrace(name: string, ms: number): Promise<void>;
  /** Resolves at the next change of any pod of ours, after `ms` milliseconds, or when the signal aborts. Never rejects. */
  changed(ms: number, signal: Abort): Promise<void>;
  /** All that can be found out about the way here and our rights, for people; it changes nothing and never rejects for what the cluster does. */
  check(): Promise<readonly Check[]>;
  /** Closes every connection and ends what follows. What was started goes on. */
  close(): void;
}

/** Opens nothing yet: connections are made as they are needed. */
export function openCluster(options: ClusterOptions): Cluster {
  const { access, env, now, clock, random, profile = mooragePods } = options;
  const credentials = new Credentials(access, { env, now });
  const transport = new Transport(access, credentials, {
    ...transportLimits,
    ...options.limits,
  });
  const { namespace, context, server } = access;
  const scope: ClusterScope = { transport, profile, clock, random, namespace, context, server };
  const requests = requestsTo(scope);
  const life = createAbort();
  const grace = new StopGrace(scope, requests);
  const changes = new PodChanges(scope, requests, life.signal);
  const changed = changes.reader();
  const facts = new Facts(scope, requests, new Metrics(scope, requests));
  const events = new Events(scope, requests, life.signal);
  const substrate = createSubstrate(scope, {
    requests,
    grace,
    scopeRead(version, pods) {
      changes.scopeRead(version);
      facts.listed(pods);
    },
  });
  return {
    namespace,
    substrate,
    inventory: substrate,
    facts: (names) => facts.read(names ?? null),
    events: (choice) => events.read(choice),
    followEvents: (signal) => events.follow(signal),
    whyWaiting: (name) => readWhyWaiting(name, { scope, requests, events }),
    podLog: (request) => readPodLog(request, { scope, requests, changes, life: life.signal }),
    setStopGrace: (name, ms) => grace.set(name, ms),
    changed: (ms, signal) => changed.next(ms, signal),
    check: () => checkCluster({ access, credentials, scope, requests, now }),
    close() {
      life.abort();
      transport.close();
    },
  };
}
