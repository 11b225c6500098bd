/** Reads the status of everything in the scope, or of some agents by name. */
import type { DeclaredAgent } from "../declaration/agent.ts";
import type { Session } from "../session.ts";
import { knownAgents } from "../session.ts";
import type { AgentStatus, FromDeclaration } from "./agent-status.ts";
import { absentStatus, agentStatus, undeclared } from "./agent-status.ts";

export interface StatusChoice {
  /** Recorded names; empty: all. */
  readonly names: readonly string[];
  /** With --fleet: these, whether they run or not, in this order. */
  readonly declared: readonly DeclaredAgent[] | null;
}

export async function readStatus(session: Session, { names, declared }: StatusChoice): Promise<AgentStatus[]> {
  const known = await knownAgents(session.scope);
  const wanted = declared === null ? names : declared.map(({ name }) => name);
  const chosen = wanted.length === 0 && declared === null ? known : known.filter(({ agent }) => wanted.includes(agent));
  const facts = new Map(
    (
      await factsOf(
        session,
        chosen.map(({ observed }) => observed.name),
        known.length,
      )
    ).map((each) => [each.name, each] as const),
  );
  const told = await fromDeclaration(declared ?? [], session);
  const toldOf = (agent: string): FromDeclaration => told.get(agent) ?? undeclared;
  if (wanted.length === 0 && declared === null)
    return known.map((each) => agentStatus(each, facts.get(each.observed.name), undeclared));
  return wanted.flatMap((name) => {
    const found = chosen.filter(({ agent }) => agent === name);
    if (found.length === 0) return [absentStatus(name, toldOf(name))];
    return found.map((each) => agentStatus(each, facts.get(each.observed.name), toldOf(name)));
  });
}

/** Which build a start would use, and whether a catalog was edited, takes reading files: only for who has read a declaration. */
async function fromDeclaration(
  declared: readonly DeclaredAgent[],
  { scope: { machine } }: Session,
): Promise<ReadonlyMap<string, FromDeclaration>> {
  if (declared.length === 0) return new Map();
  const { nextBuild } = await import("../update/next-build.ts");
  const withCatalog = machine !== null && declared.some(({ catalog }) => catalog !== null);
  const editedSince = withCatalog ? (await import("../update/edited-since.ts")).editedSince : () => null;
  return new Map(
    declared.map((agent) => {
      const onThisMachine = agent.command.length > 0;
      const told = {
        fleet: agent.fleet,
        nextBuildId: onThisMachine ? nextBuild(agent) : null,
        editedSince: machine === null ? null : editedSince(agent, machine),
      };
      return [agent.name, told] as const;
    }),
  );
}

function factsOf(session: Session, instances: readonly string[], known: number): ReturnType<Session["scope"]["facts"]> {
  return instances.length === known ? session.scope.facts() : session.scope.facts(instances);
}
