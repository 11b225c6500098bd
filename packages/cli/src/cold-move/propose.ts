/** Proposes the cold move of a whole fleet: everything that it needs is checked and recorded first; nothing is stopped. */
import type { Channel, ColdMove, MoveMember, MovePutForward, RuntimeTarget } from "@moorage/core";
import {
  approvalNotice,
  axes,
  axisWords,
  firstDifference,
  hasPointOfNoReturn,
  isAsleep,
  moorageProfile,
  moveFacts,
  noBuild,
  openMailbox,
  putForward,
  readGate,
  readNotes,
  readStoredMove,
  turnBack,
} from "@moorage/core";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import type { LaunchPlan } from "../launch/start-request.ts";
import { whoDecides } from "../mailbox/who-decides.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { Session } from "../session.ts";
import { launchPlans } from "../start/start-agents.ts";
import { storeOf } from "../update/catalog-line.ts";
import type { ColdMovePorts } from "./carry-out.ts";
import { carryOutFleet } from "./carry-out.ts";
import type { CatalogSides, MemberLaunch } from "./launch-record.ts";
import { forgetOtherLaunches, launchFormat, readLaunches, writeLaunches } from "./launch-record.ts";
import type { FleetInstance } from "./look-fleet.ts";
import { fleetInstances, mayLive } from "./look-fleet.ts";
import type { MoveReport } from "./move-report.ts";
import { reportOfMove } from "./move-report.ts";
import { formatWords } from "./move-words.ts";

export interface ColdProposal {
  /** Every declared agent of the fleet, with the formats that it is to have. */
  readonly agents: readonly DeclaredAgent[];
  /** What is published for the new formats, and not assigned: one for each catalog of the fleet. */
  readonly bundles: readonly { readonly channel: Channel; readonly digest: string; readonly target: RuntimeTarget }[];
  /** A command that moves the data while the whole fleet is stopped; null: there is nothing to move. */
  readonly migration: string | null;
}

/**
 * The move as it waits for its approval (`waiting`), or one that is under way already, which was gone on with. Throws a
 * `CliError` for what is missing: then nothing was proposed.
 */
export async function proposeColdMove(proposal: ColdProposal, ports: ColdMovePorts): Promise<MoveReport> {
  const { machine, session, host } = ports;
  const { documents } = machine;
  const { fleet, to } = oneFleet(proposal.agents);
  const running = await fleetInstances(fleet, null, session.scope);
  checkRunning(running, proposal.agents, fleet);
  const from = await formatsNow(fleet, running, machine);
  if (from === null || firstDifference(from, to) === null) return reportOfMove(fleet, { kind: "nothing" });
  const { launchEnv } = session;
  const plans = await launchPlans(proposal.agents, { environment: host.env, on: "local", launchEnv }, host);
  const id = session.random.token(16);
  const living = await runningLaunches(running, session);
  const record = {
    format: launchFormat,
    move: id,
    fleet,
    old: living,
    new: plans.map(launchOf),
    catalogs: catalogsOf(proposal, from, machine),
  } as const;
  const members = membersOf(record.new, living);
  const { migration } = proposal;
  const wanted = { id, fleet, members, from, to, bundle: bundleOf(proposal, to), migration };
  await writeLaunches(documents, record);
  const put = await putForward(documents, wanted);
  const gaveUp = put.kind === "underWay" && (await giveUp(put.move, wanted, machine));
  const { move } = demandProposed(gaveUp ? await putForward(documents, wanted) : put, fleet);
  await forgetOtherLaunches(documents, fleet, move.id);
  if (harmsNobody(move)) await approveAtOnce(move, ports);
  return carryOutFleet(fleet, ports);
}

/** Nobody is stopped or started, nothing of the data moves, and it can be moved back in the same way: there is nothing to ask. */
function harmsNobody(move: ColdMove): boolean {
  return move.state.kind === "proposed" && isAsleep(move) && move.migration === null && !hasPointOfNoReturn(move);
}

/** In the name of whoever called for it. Where that is lost to another decision, the move goes by the other one. */
async function approveAtOnce(move: ColdMove, { machine, session, host }: ColdMovePorts): Promise<void> {
  const { documents } = machine;
  const mailbox = openMailbox(documents, session.random);
  const { notice } = await mailbox.raise(approvalNotice(move), Date.now());
  const word = { choice: "approve", by: whoDecides(), at: Date.now(), revision: notice.revision } as const;
  const decided = await mailbox.decide(notice.id, word, moveFacts(documents));
  if (decided.kind !== "decided") return;
  host.output.progress(`fleet ${move.fleet}: nobody of it runs: it moves (${formatWords(move)}) without asking`);
}

function oneFleet(agents: readonly DeclaredAgent[]): { readonly fleet: string; readonly to: RuntimeTarget } {
  const [first] = agents;
  if (first === undefined) throw new Error("a cold move needs agents");
  for (const { name, fingerprint, fleet } of agents) {
    const axis = axes.find((one) => fingerprint[one] !== first.fingerprint[one]);
    if (fleet === first.fleet && axis === undefined) continue;
    throw new CliError({
      code: "formatsDiffer",
      message: `${first.name} and ${name} are to move together, and do not declare the same ${axis === undefined ? "fleet" : axisWords[axis]}`,
      hint: "a fleet has one set of formats: declare the same fingerprint for all of its agents",
    });
  }
  return { fleet: first.fleet, to: first.fingerprint };
}

/** Who is not declared here would be stopped and never be started again. */
function checkRunning(running: readonly FleetInstance[], agents: readonly DeclaredAgent[], fleet: string): void {
  const unknown = running.filter((one) => mayLive(one) && !agents.some(({ name }) => name === one.agent));
  if (unknown.length > 0)
    throw new CliError({
      code: "fleetIncomplete",
      message: `${unknown.map(({ agent }) => agent).join(", ")} of the fleet ${fleet} runs, and is not declared here: a cold move takes the whole fleet`,
      hint: "declare the whole fleet in one declaration, or stop those first",
    });
  const [unclear] = running.filter(({ life }) => life === "cannotTell");
  if (unclear !== undefined)
    throw new CliError({
      code: "cannotTell",
      message: `nobody can tell from here whether ${unclear.agent} lives, so that nobody could prove that it has stopped`,
      hint: `run \`moorage explain ${unclear.agent}\``,
    });
}

/** What the gate says; of a fleet that never had one, what its agents run with. Null: there is nothing to move from. */
async function formatsNow(
  fleet: string,
  running: readonly FleetInstance[],
  { documents }: MachineScope,
): Promise<RuntimeTarget | null> {
  const stored = await readGate(documents, fleet);
  if (stored?.gate.open !== undefined && stored.gate.open !== null) return stored.gate.open;
  // Closed by a move that is under way: that one says what it moves from.
  const move = stored === null ? null : ((await readStoredMove(documents, fleet))?.move ?? null);
  if (move !== null) return move.from;
  return running.find(({ life, formats }) => life === "lives" && formats !== null)?.formats ?? null;
}

async function runningLaunches(running: readonly FleetInstance[], { scope }: Session): Promise<MemberLaunch[]> {
  const facts = await scope.facts();
  return running.flatMap(({ agent, identity, observed, life }) => {
    const template = facts.find(({ name }) => name === observed.name)?.process?.template;
    if (life !== "lives" || template === undefined) return [];
    return [{ agent, identity, template, notes: readNotes(observed, moorageProfile) }];
  });
}

function launchOf({ agent, identity, template, notes, catalog }: LaunchPlan): MemberLaunch {
  if (template.kind !== "process") throw new Error("a cold move is for agents on this machine");
  return { agent, identity, template, notes: catalog === null ? notes : { ...notes, catalog: catalog.name } };
}

function membersOf(launches: readonly MemberLaunch[], living: readonly MemberLaunch[]): MoveMember[] {
  return launches.map(({ agent, template }) => ({
    agent,
    oldBuild: living.find((one) => one.agent === agent)?.template.buildId ?? noBuild,
    newBuild: template.buildId,
  }));
}

function catalogsOf({ bundles }: ColdProposal, from: RuntimeTarget, machine: MachineScope): CatalogSides[] {
  const store = storeOf(machine);
  return bundles.map(({ channel, digest }) => {
    const assigned = store.assigned(channel);
    const target = assigned === null ? undefined : store.manifest(assigned.digest)?.target;
    const old = target !== undefined && firstDifference(target, from) === null ? (assigned?.digest ?? null) : null;
    return { catalog: channel.catalog, old, new: digest };
  });
}

/** Of several catalogs the first that does not fit, so that it is told. */
function bundleOf({ agents, bundles }: ColdProposal, to: RuntimeTarget): ColdMoveBundle {
  const catalogs = new Set(agents.flatMap(({ catalog }) => catalog?.name ?? []));
  if (catalogs.size === 0) return "none";
  const there = new Set(bundles.map(({ channel }) => channel.catalog));
  if ([...catalogs].some((name) => !there.has(name))) return null;
  const [first] = bundles;
  const chosen = bundles.find(({ target }) => firstDifference(target, to) !== null) ?? first;
  return chosen === undefined ? null : { digest: chosen.digest, target: chosen.target };
}

type Wanted = Parameters<typeof putForward>[1];
type ColdMoveBundle = Wanted["bundle"];

/** One that waits and is not what is wanted any more makes room. */
async function giveUp(move: ColdMove, wanted: Wanted, { documents }: MachineScope): Promise<boolean> {
  if (move.state.kind !== "proposed") return false;
  if (sameMove(move, wanted) && (await readLaunches(documents, move.id)) !== null) return false;
  const by = `${whoDecides()}, who proposed another one`;
  return (await turnBack(documents, move.fleet, { by, at: Date.now() })).kind === "turned";
}

function sameMove(move: ColdMove, wanted: Wanted): boolean {
  const { members, from, to, migration } = wanted;
  const key = (one: Pick<ColdMove, "members" | "from" | "to" | "migration">): string =>
    JSON.stringify([one.members, one.from, one.to, one.migration]);
  return key(move) === key({ members, from, to, migration });
}

function demandProposed(put: MovePutForward, fleet: string): { readonly move: ColdMove } {
  switch (put.kind) {
    case "proposed":
    case "underWay":
      return put;
    case "bundleMissing":
      throw new CliError({
        code: "bundleMissing",
        message: `no signed bundle for the new formats is published for every catalog of the fleet ${fleet}`,
        hint: "`moorage update apply` publishes it and proposes the move",
      });
    case "bundleUnfit":
      throw new CliError({
        code: "bundleUnfit",
        message: `a bundle of the fleet ${fleet} was built for another ${axisWords[put.axis]} than the new builds have`,
        hint: "`moorage update apply` publishes one that fits and proposes the move",
      });
    case "otherFormats":
      throw new CliError({
        code: "worldMoved",
        message: `the fleet ${fleet} has other formats by now`,
        hint: "look again: `moorage update plan`",
      });
    case "notCold":
    case "nobody":
      throw new Error(`a cold move of ${fleet}: ${put.kind}`);
    default:
      return put satisfies never;
  }
}
