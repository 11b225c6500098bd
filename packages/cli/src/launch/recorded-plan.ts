/** What an agent that is there was started from: the declaration that was recorded with it, or its record itself. */
import { basename } from "node:path";
import { moorageProfile, nameIdentity, readNotes } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import type { AgentFacts } from "../scope/agent-scope.ts";
import type { KnownAgent } from "../session.ts";
import type { LaunchPlan } from "./start-request.ts";

/** The agent in the declaration that it was started from, wherever that lies. */
export async function declaredElsewhere(
  name: string,
  instance: KnownAgent | undefined,
): Promise<DeclaredAgent | undefined> {
  const source = instance === undefined ? undefined : readNotes(instance.observed, moorageProfile).source;
  if (source === undefined || source.endsWith("/")) return undefined;
  const { loadDeclaration } = await import("../declaration/load.ts");
  return loadDeclaration(source, { cwd: "/", target: { on: "local" } }).find((agent) => agent.name === name);
}

/** An agent that was started without a file: its record has all that a start needs, unless it had secrets. */
export function recordedPlan(
  name: string,
  instance: KnownAgent | undefined,
  facts: AgentFacts | undefined,
): LaunchPlan {
  if (instance === undefined || facts === undefined)
    throw new CliError({
      code: "noSuchAgent",
      message: `no agent ${name} is declared here, and none with that name is there`,
      hint: "`moorage status` lists what is there; name a declaration with --file",
    });
  if (facts.process === null)
    throw new CliError({
      code: "notDeclared",
      message: `${name} runs on a cluster, and its declaration is not here`,
      hint: "name the declaration with --file",
    });
  const { template } = facts.process;
  if (template.secretKeys.length > 0 || template.identityKey !== null)
    throw new CliError({
      code: "notDeclared",
      message: `${name} has secrets, and its declaration is not here`,
      hint: "name the declaration with --file",
    });
  const notes = readNotes(instance.observed, moorageProfile);
  const { catalog } = template;
  return {
    agent: name,
    fleet: notes.fleet ?? name,
    // Without a name in any channel it is read where it lies, as it was.
    catalog: catalog === null ? null : { path: catalog.path, name: notes.catalog ?? basename(catalog.path) },
    identity: nameIdentity(name, sha256),
    template,
    notes,
    secrets: new Map(),
    secretValues: [],
    warnings: [],
    obstacles: [],
  };
}
