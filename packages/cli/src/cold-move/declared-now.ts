/** The declarations behind a cold move as they are at this moment: who belongs to the fleet, and what each build is made of. */
import { sha256 } from "@moorage/keys";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { undeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { buildId } from "../launch/build-id.ts";
import type { LaunchRecord, MemberLaunch } from "./launch-record.ts";

/** Every agent of the fleet in the declarations that its members come from. Throws errors of the declaration. */
export async function declaredNow({ fleet, new: launches }: LaunchRecord): Promise<DeclaredAgent[]> {
  const sources = new Set(launches.flatMap(({ notes }) => notes.source ?? []));
  const found: DeclaredAgent[] = [];
  for (const source of sources) found.push(...(await declaredIn(source)));
  const loose = launches.filter(({ notes }) => notes.source?.endsWith("/") !== false).map(withoutFile);
  return [...found.filter((agent) => agent.fleet === fleet), ...loose];
}

async function declaredIn(source: string): Promise<DeclaredAgent[]> {
  // Started without a file: the folder stands for it.
  if (source.endsWith("/")) return [];
  const { loadDeclaration } = await import("../declaration/load.ts");
  return loadDeclaration(source, { cwd: "/", target: { on: "local" } });
}

/** The agent as it is declared where a launch comes from; null: it is not any more. */
export async function declaredOf(launch: MemberLaunch): Promise<DeclaredAgent | null> {
  const { source } = launch.notes;
  if (source === undefined || source.endsWith("/")) return withoutFile(launch);
  return (await declaredIn(source)).find(({ name }) => name === launch.agent) ?? null;
}

function withoutFile({ agent, template }: MemberLaunch): DeclaredAgent {
  return undeclaredAgent(agent, template.command, template.directory);
}

/**
 * Throws when the files that make the build are others by now: under its recorded formats something else would be started.
 * What counts as its files is declared: with another list than it was recorded with, nobody can tell.
 */
export function checkBuild({ agent, template }: MemberLaunch, declared: DeclaredAgent): void {
  const { command, directory } = template;
  const now = buildId({ ...declared, command, directory }, sha256);
  if (now === template.buildId) return;
  throw new CliError({
    code: "buildMoved",
    message: `${agent}: the files that make its build are not those that were recorded (${short(template.buildId)}, now ${short(now)})`,
    hint: `put the files of that build back (${command.join(" ")} in ${directory}), then go on`,
    details: { agent, recorded: template.buildId, now },
  });
}

function short(id: string): string {
  return id.slice(0, "sha256:".length + 12);
}
