/** Opens the state directory that a command works on, with the ports that the loops need. */
import { resolve } from "node:path";
import type { Clock, Identity, ObservedInstance, Random } from "@moorage/core";
import { markedIdentity, moorageProfile, readNotes } from "@moorage/core";
import { systemRandom } from "@moorage/keys";
import type { Scope } from "@moorage/local";
import { awakeClock, defaultStateDir, launchEnvironment, openScope } from "@moorage/local";
import type { Invocation } from "./args/command-spec.ts";
import { CliError } from "./errors/cli-error.ts";
import type { Host } from "./host.ts";

export interface Session {
  readonly scope: Scope;
  readonly clock: Clock;
  readonly random: Random;
  /** What an agent inherits from this caller. */
  readonly launchEnv: Readonly<Record<string, string>>;
}

export interface SessionOptions {
  readonly mode: "read" | "write";
  /** What each instance inherits, where it is not what this caller has. */
  readonly launchEnv?: (instance: string) => Readonly<Record<string, string>>;
}

/** The state directory: `--state`, else the user's own. Inside an agent it is the agent's. */
export function stateDir(invocation: Invocation, host: Host): string {
  const named = invocation.flags["state"];
  if (typeof named === "string") return resolve(host.cwd, named);
  return host.env["MOORAGE_STATE"] ?? defaultStateDir(host.env);
}

/** Runs `use` on the open state directory and closes it, whatever happens. Throws a `StateError` when it cannot be used. */
export async function withSession<T>(
  invocation: Invocation,
  host: Host,
  options: SessionOptions,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const launchEnv = launchEnvironment(host.env);
  const clock = awakeClock();
  const scope = await openScope({
    stateDir: stateDir(invocation, host),
    mode: options.mode,
    launchEnv: options.launchEnv ?? launchEnv,
    clock,
    random: systemRandom,
    systemdScope: true,
  });
  try {
    const result = await use({ scope, clock, random: systemRandom, launchEnv });
    await scope.settled();
    return result;
  } finally {
    scope.close();
  }
}

/** An instance of ours in the scope, by its recorded name. */
export interface KnownAgent {
  readonly agent: string;
  readonly identity: Identity;
  readonly observed: ObservedInstance;
}

/** Everything of ours in the scope, in the order of the recorded names. An instance without one goes by its own name. */
export async function knownAgents(scope: Scope): Promise<KnownAgent[]> {
  const reading = await scope.inventory.readScope();
  if (reading.kind !== "read") {
    const detail = reading.kind === "unavailable" ? reading.detail : reading.refusal.kind;
    throw new CliError({
      code: "stateUnavailable",
      message: `the state directory does not answer: ${detail}`,
      hint: "run `moorage doctor`",
    });
  }
  return reading.instances
    .flatMap((observed) => {
      const identity = markedIdentity(observed, moorageProfile);
      const agent = readNotes(observed, moorageProfile).name ?? observed.name;
      return identity === undefined ? [] : [{ agent, identity, observed }];
    })
    .sort((one, other) => (one.agent < other.agent ? -1 : one.agent > other.agent ? 1 : 0));
}
