/** What of an update only a cold move can do: the whole fleet's move is proposed, or gone on with, and an operator decides. */
import type { UpdatePlan } from "@moorage/core";
import { readGate } from "@moorage/core";
import { carryOutAll } from "../cold-move/carry-out.ts";
import type { MoveReport } from "../cold-move/move-report.ts";
import { proposeColdMove } from "../cold-move/propose.ts";
import { movesUnderWay } from "../cold-move/under-way.ts";
import type { DeclaredAgent } from "../declaration/agent.ts";
import type { Host } from "../host.ts";
import type { Progress } from "../output/progress.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { Session } from "../session.ts";
import { catalogLines, publishedOf, storeOf } from "./catalog-line.ts";
import { startsAfterMove } from "./observe-fleet.ts";

interface Ports {
  readonly session: Session;
  readonly machine: MachineScope;
  readonly progress: Progress;
  readonly host: Host;
}

/** A fleet that is closed gets nothing else before its move has come to an end: what a killed call has left goes on. */
export async function goOnWithMoves(fleets: readonly string[], ports: Ports): Promise<MoveReport[]> {
  const closed = (await movesUnderWay(ports.session.scope)).filter(
    ({ fleet, move }) => fleets.includes(fleet) && move?.state.kind !== "proposed",
  );
  return closed.length === 0
    ? []
    : carryOutAll(
        ports,
        closed.map(({ fleet }) => fleet),
      );
}

/** The fleets whose formats the declaration moves: of one that does not run, its gate tells. */
export async function fleetsToMove(
  plans: readonly UpdatePlan[],
  agents: readonly DeclaredAgent[],
  { documents }: Pick<MachineScope, "documents">,
): Promise<string[]> {
  const moving: string[] = [];
  for (const { fleet, agents: planned } of plans) {
    const open = (await readGate(documents, fleet))?.gate.open ?? null;
    const members = agents.filter((agent) => agent.fleet === fleet);
    if (planned.some(({ release }) => release.tier === "cold") || startsAfterMove(open, members)) moving.push(fleet);
  }
  return moving;
}

/** Of each of these fleets. Throws a `CliError` for what a move is missing. */
export async function moveFleets(
  fleets: readonly string[],
  agents: readonly DeclaredAgent[],
  migration: string | null,
  ports: Ports,
): Promise<MoveReport[]> {
  const store = storeOf(ports.machine);
  const reports: MoveReport[] = [];
  for (const moving of fleets) {
    const members = agents.filter(({ fleet }) => fleet === moving);
    const bundles = catalogLines(members).flatMap(({ channel }) => {
      const published = publishedOf(store, channel);
      if (published === null) return [];
      const { head, manifest } = published;
      return [{ channel, digest: head.digest, target: manifest.target }];
    });
    reports.push(await proposeColdMove({ agents: members, bundles, migration }, ports));
  }
  return reports;
}
