/** Opens the scope that a command works on, with the ports that the loops need. */

import type { Clock, Identity, ObservedInstance, Random } from "@moorage/core";
import { markedIdentity, moorageProfile, readNotes, refusalCondition } from "@moorage/core";
import { systemRandom } from "@moorage/keys";
import { awakeClock, launchEnvironment } from "@moorage/local";
import type { Invocation } from "./args/command-spec.ts";
import { CliError } from "./errors/cli-error.ts";
import type { Host } from "./host.ts";
import type { AgentScope } from "./scope/agent-scope.ts";
import type { LocalScopeOptions } from "./scope/local-scope.ts";
import { openLocalScope, stateDir } from "./scope/local-scope.ts";
import { substrateOf } from "./scope/substrate-of.ts";

export interface Session {
  readonly scope: AgentScope;
  readonly clock: Clock;
  readonly random: Random;
  /** What an agent on this machine inherits from this caller. */
  readonly launchEnv: Readonly<Record<string, string>>;
}

export interface SessionOptions {
  readonly mode: "read" | "write";
  /** What each instance inherits, where it is not what this caller has. */
  readonly launchEnv?: (instance: string) => Readonly<Record<string, string>>;
}

/** Runs `use` on the open scope and closes it, whatever happens. Throws a `StateError` or a `ClusterError` when it cannot be used. */
export async function withSession<T>(
  invocation: Invocation,
  host: Host,
  options: SessionOptions,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const launchEnv = launchEnvironment(host.env);
  const clock = awakeClock();
  const scope = await openScope(invocation, host, clock, { launchEnv, ...options });
  try {
    const result = await use({ scope, clock, random: systemRandom, launchEnv });
    await scope.settled();
    return result;
  } finally {
    scope.close();
  }
}

async function openScope(
  invocation: Invocation,
  host: Host,
  clock: Clock,
  options: LocalScopeOptions,
): Promise<AgentScope> {
  if (substrateOf(invocation.flags) === "local") return openLocalScope(stateDir(invocation, host), clock, options);
  // A command on this machine evaluates nothing of the cluster's side.
  const { openClusterScope } = await import("./scope/cluster-scope.ts");
  return openClusterScope(invocation, host, clock, options.mode);
}

/** An instance of ours in the scope, by its recorded name. */
export interface KnownAgent {
  readonly agent: string;
  readonly identity: Identity;
  readonly observed: ObservedInstance;
}

/** Everything of ours in the scope, in the order of the recorded names. An instance without one goes by its own name. */
export async function knownAgents({ on, inventory, substrate }: AgentScope): Promise<KnownAgent[]> {
  const reading = await inventory.readScope();
  if (reading.kind === "refused") throw new CliError(refusalCondition(reading.refusal, "NAME"));
  if (reading.kind === "unavailable")
    throw new CliError({
      code: on === "local" ? "stateUnavailable" : "clusterUnavailable",
      message:
        on === "local"
          ? `the state directory does not answer: ${reading.detail}`
          : `the cluster does not answer for ${substrate.scope}: ${reading.detail}`,
      hint: "run `moorage doctor`",
    });
  return reading.instances
    .flatMap((observed) => {
      const identity = markedIdentity(observed, moorageProfile);
      const agent = readNotes(observed, moorageProfile).name ?? observed.name;
      return identity === undefined ? [] : [{ agent, identity, observed }];
    })
    .sort((one, other) => (one.agent < other.agent ? -1 : one.agent > other.agent ? 1 : 0));
}
