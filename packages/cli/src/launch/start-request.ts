/** From a declared agent to the request of a start: identity, intent template, notes and secrets, checked before anything is read or changed. */
import type { Identity, IntentTemplate, Notes } from "@moorage/core";
import { nameIdentity } from "@moorage/core";
import { KeyError, keyIdentity, sha256 } from "@moorage/keys";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import type { SubstrateName } from "../scope/substrate-of.ts";
import { checkedProcess } from "./process-template.ts";
import type { SecretValues } from "./secret-values.ts";
import { readSecretValues } from "./secret-values.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** All of a start's request but its times. */
export interface LaunchPlan {
  readonly agent: string;
  readonly fleet: string;
  /** Its folder, and its name in the fleet's channels; null: it has none. */
  readonly catalog: { readonly path: string; readonly name: string } | null;
  readonly identity: Identity;
  readonly template: IntentTemplate;
  readonly notes: Notes;
  readonly secrets: ReadonlyMap<string, string>;
  /** Every secret value of the request, the identity key included, for the redactor. */
  readonly secretValues: readonly string[];
  readonly warnings: readonly string[];
  /** What stands in the way of creating it, each exit 2. A start of what runs needs none of it, and is not held up. */
  readonly obstacles: readonly CliError[];
}

export interface LaunchOptions {
  /** The caller's whole environment: secret values and network variables come from it. */
  readonly environment: Environment;
  readonly on: SubstrateName;
  /** What the agent inherits, on this machine. */
  readonly launchEnv: Readonly<Record<string, string>>;
  /** The agent's own environment, when it is the agent that calls. */
  readonly own?: Environment;
}

/** What of a plan depends on where the agent is to run. */
export interface CheckedTemplate {
  readonly template: IntentTemplate;
  readonly notes: Notes;
  readonly warnings: readonly string[];
}

/** Runs a check; an error of the person's becomes an obstacle, and `otherwise` stands for the result. */
export type Past = <T>(check: () => T, otherwise: T) => T;

/**
 * Obstacles are `secretMissing`, `secretInvalid`, `commandUnusable`, `catalogMissing` and `buildFileMissing`. Without an
 * identity there is no plan: an error of the key, or of any secret of an agent that has one, is thrown.
 */
export async function launchPlan(
  agent: DeclaredAgent,
  { environment, on, launchEnv, own }: LaunchOptions,
): Promise<LaunchPlan> {
  const obstacles: CliError[] = [];
  const past: Past = (check, otherwise) => {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      obstacles.push(error);
      return otherwise;
    }
  };
  const read = (): SecretValues => readSecretValues(agent, environment, own);
  const secrets = agent.identity.kind === "key" ? read() : past(read, { values: new Map(), key: null, warnings: [] });
  const identity = await identityOf(agent, secrets.key);
  const checked =
    on === "local"
      ? checkedProcess(agent, { environment, launchEnv }, past)
      : await import("./pod-template.ts").then(({ checkedPod }) => checkedPod(agent));
  return {
    agent: agent.name,
    fleet: agent.fleet,
    catalog: agent.catalog,
    identity,
    template: checked.template,
    notes: checked.notes,
    secrets: secrets.values,
    secretValues: [...secrets.values.values(), ...(secrets.key === null ? [] : [secrets.key])],
    warnings: [...secrets.warnings, ...checked.warnings],
    obstacles,
  };
}

/** The identity: the key's where there is one, else the name's. */
async function identityOf(agent: DeclaredAgent, key: string | null): Promise<Identity> {
  if (agent.identity.kind === "name" || key === null) return nameIdentity(agent.name, sha256);
  try {
    return await keyIdentity(key);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    const { from } = agent.identity;
    const { code, message, hint } = error;
    throw new CliError({
      code,
      message: `${agent.name}: ${from.kind === "env" ? from.name : from.shown}: ${message}`,
      hint,
      details: { agent: agent.name, source: agent.source },
    });
  }
}
