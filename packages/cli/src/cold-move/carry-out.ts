/** Carries out a fleet's cold move on this machine, in the foreground: a line a step, until it ends, waits or is interrupted. */
import type { ColdMove } from "@moorage/core";
import { carryOutMove, moveHasEnded, openMailbox } from "@moorage/core";
import { CliError } from "../errors/cli-error.ts";
import type { Host } from "../host.ts";
import { callingAgent } from "../inside.ts";
import type { Progress } from "../output/progress.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { Session } from "../session.ts";
import { machineHands } from "./hands.ts";
import type { LaunchRecord } from "./launch-record.ts";
import { readLaunches } from "./launch-record.ts";
import type { MoveReport } from "./move-report.ts";
import { moveText, reportOfMove } from "./move-report.ts";
import { stateWords } from "./move-words.ts";
import { movesUnderWay } from "./under-way.ts";

export interface ColdMovePorts {
  readonly machine: MachineScope;
  readonly session: Session;
  /** Told a line a step, under the fleet's name, and what its agents wait for under theirs. */
  readonly progress: Progress;
  readonly host: Host;
}

/** Beyond the longest grace: what one state may take before the move is held, in milliseconds. */
const marginMs = 120_000;

/**
 * As far as it goes without a person, by what was decided in the mailbox. Whoever is killed in between is taken up by the
 * next call. Throws a `CliError` from inside an agent of the fleet, which would end with it.
 */
export async function carryOutFleet(fleet: string, ports: ColdMovePorts): Promise<MoveReport> {
  const { machine, session, progress, host } = ports;
  const { documents } = machine;
  const found = (await movesUnderWay(session.scope)).find((one) => one.fleet === fleet);
  if (found === undefined) return reportOfMove(fleet, { kind: "nothing" });
  if (found.move === null)
    throw new CliError({ code: "stateNewer", message: found.sentence, hint: "use the version that began it" });
  const record = await readLaunches(documents, found.move.id);
  if (record === null) throw recordLost(found.move);
  checkOutside(record, host);
  const hands = machineHands(record, ports, progress.through(session.scope.journal));
  const outcome = await carryOutMove(
    { fleet, deadlineMs: marginMs + longestGraceMs(record) },
    {
      documents,
      mailbox: openMailbox(documents, session.random),
      hands,
      clock: session.clock,
      time: () => Date.now(),
      signal: host.interrupt,
      tell: (move, detail) => tellState(move, detail, ports),
    },
  );
  const report = reportOfMove(fleet, outcome);
  progress.end(fleet, moveText(report));
  return report;
}

/** All that are under way in the scope, or those of these fleets: what a killed call has left goes on. */
export async function carryOutAll(ports: ColdMovePorts, fleets?: readonly string[]): Promise<MoveReport[]> {
  const reports: MoveReport[] = [];
  for (const { fleet, move } of await movesUnderWay(ports.session.scope)) {
    if (move === null || (fleets !== undefined && !fleets.includes(fleet))) continue;
    reports.push(await carryOutFleet(fleet, ports));
  }
  return reports;
}

function tellState(move: ColdMove, detail: string | null, { session, progress, host }: ColdMovePorts): void {
  const { fleet, id, state } = move;
  const words = stateWords(state);
  const [line = ""] = words.split("\n");
  // Where it ends or waits, the result of the call says so.
  if (!moveHasEnded(move) && state.kind !== "held") {
    host.output.progress(`${fleet}: ${line}`);
    progress.begin(fleet, line);
  }
  session.scope.journal.append({
    step: "update",
    agent: fleet,
    identity: "",
    attempt: null,
    message: `cold move ${id}: ${words}${detail === null || words.includes(detail) ? "" : `: ${detail}`}`,
    code: state.kind,
    rule: null,
    name: id,
  });
}

function longestGraceMs({ old, new: fresh }: LaunchRecord): number {
  return Math.max(0, ...[...old, ...fresh].map(({ template }) => template.graceMs));
}

/** Its end would end the call. */
function checkOutside({ fleet, new: launches }: LaunchRecord, { env }: Host): void {
  const caller = callingAgent(env)?.agent;
  if (caller === undefined || !launches.some(({ agent }) => agent === caller)) return;
  throw new CliError({
    code: "insideFleet",
    message: `${caller} belongs to the fleet ${fleet}, which stops as a whole: this call would end with it`,
    hint: "run it from outside of the fleet",
  });
}

function recordLost({ fleet, id }: ColdMove): CliError {
  return new CliError({
    code: "moveRecordLost",
    message: `what the cold move ${id} of the fleet ${fleet} starts its agents from is not on record`,
    hint: "`moorage update apply` proposes it anew, if nothing has been done yet; else use the version that began it",
  });
}
