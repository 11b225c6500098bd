/** The intent of an agent on this machine, with everything that can be checked before it is started. */
import { statSync } from "node:fs";
import type { IntentTemplate, ProcessTemplate } from "@moorage/core";
import { usualTrial } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import { networkVariablesNotPassed } from "@moorage/local";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { buildId } from "./build-id.ts";
import { commandFault } from "./preflight.ts";
import type { CheckedTemplate, LaunchOptions, Past } from "./start-request.ts";

export function checkedProcess(
  agent: DeclaredAgent,
  { environment, launchEnv }: Pick<LaunchOptions, "environment" | "launchEnv">,
  past: Past,
): CheckedTemplate {
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
    catalog: templateCatalog(agent.catalog),
    identityKey: agent.identity.kind === "key" ? { as: agent.identity.as } : null,
  };
  return {
    template,
    notes: { name: agent.name, source: agent.source },
    warnings: networkWarning(agent, environment),
  };
}

/** Its name is no part of the intent, and what is the default has no place in it: no digest moves. */
function templateCatalog(catalog: DeclaredAgent["catalog"]): ProcessTemplate["catalog"] {
  if (catalog === null) return null;
  const { path, signal, trial } = catalog;
  const isDefault = trial.turns === usualTrial.turns && trial.bakeMs === usualTrial.bakeMs;
  return { path, signal, ...(isDefault ? {} : { trial }) };
}

/** One warning for all proxy and CA variables that are set and that the agent will not see. */
function networkWarning(agent: DeclaredAgent, environment: LaunchOptions["environment"]): string[] {
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
