/** From a declared agent to the request of a start: identity, intent template, notes and secrets, checked before anything is read or changed. */
import { statSync } from "node:fs";
import type { Identity, IntentTemplate, Notes } from "@moorage/core";
import { nameIdentity } from "@moorage/core";
import { KeyError, keyIdentity, sha256 } from "@moorage/keys";
import { networkVariablesNotPassed } from "@moorage/local";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { buildId } from "./build-id.ts";
import { commandFault } from "./preflight.ts";
import type { SecretValues } from "./secret-values.ts";
import { readSecretValues } from "./secret-values.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** All of a start's request but its times. */
export interface LaunchPlan {
  readonly agent: string;
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
  /** What the agent inherits. */
  readonly launchEnv: Readonly<Record<string, string>>;
  /** The agent's own environment, when it is the agent that calls. */
  readonly own?: Environment;
}

/**
 * Obstacles are `secretMissing`, `secretInvalid`, `commandUnusable`, `catalogMissing` and `buildFileMissing`. Without an
 * identity there is no plan: an error of the key, or of any secret of an agent that has one, is thrown.
 */
export async function launchPlan(
  agent: DeclaredAgent,
  { environment, launchEnv, own }: LaunchOptions,
): Promise<LaunchPlan> {
  const obstacles: CliError[] = [];
  const past = <T>(check: () => T, otherwise: T): T => {
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
  past(() => checkCommand(agent, launchEnv), undefined);
  past(() => checkCatalog(agent), undefined);
  const [program = "", ...rest] = agent.command;
  const template: IntentTemplate = {
    kind: "process",
    command: [program, ...rest],
    directory: agent.directory,
    buildId: past(() => buildId(agent, sha256), "unknown"),
    fingerprint: agent.fingerprint,
    env: agent.env,
    secretKeys: [...agent.secretEnv.keys(), ...agent.passEnv],
    drainMs: agent.drainMs,
    graceMs: agent.graceMs,
    idleMs: agent.idleMs,
    health: agent.health,
    catalog: agent.catalog,
    identityKey: agent.identity.kind === "key" ? { as: agent.identity.as } : null,
  };
  return {
    agent: agent.name,
    identity,
    template,
    notes: { name: agent.name, source: agent.source },
    secrets: secrets.values,
    secretValues: [...secrets.values.values(), ...(secrets.key === null ? [] : [secrets.key])],
    warnings: [...secrets.warnings, ...networkWarning(agent, environment)],
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

/** One warning for all proxy and CA variables that are set and that the agent will not see. */
function networkWarning(agent: DeclaredAgent, environment: Environment): string[] {
  const declared = new Set([...Object.keys(agent.env), ...agent.secretEnv.keys(), ...agent.passEnv]);
  const missed = networkVariablesNotPassed(environment, declared);
  if (missed.length === 0) return [];
  return [
    `${agent.name}: proxy or certificate variables are set here that the agent does not get; to hand them on, declare passEnv: [${missed.join(", ")}]`,
  ];
}

function checkCommand(agent: DeclaredAgent, launchEnv: Readonly<Record<string, string>>): void {
  const path = agent.env["PATH"] ?? launchEnv["PATH"] ?? "";
  const fault = commandFault(agent.command, agent.directory, path);
  if (fault === null) return;
  throw new CliError({
    code: "commandUnusable",
    message: `${agent.name}: ${fault.message}`,
    hint: fault.hint,
    details: { agent: agent.name, command: agent.command[0] ?? "", source: agent.source },
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function checkCatalog({ name, catalog }: DeclaredAgent): void {
  if (catalog === null || isFolder(catalog.path)) return;
  throw new CliError({
    code: "catalogMissing",
    message: `${name}: its catalog ${catalog.path} is not there, or is no folder`,
    hint: "make the folder, or remove the key catalog",
    details: { agent: name, path: catalog.path },
  });
}
