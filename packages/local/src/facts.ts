/** What people want to know of an instance beside its decoded observation. */
import type { ProcessTemplate } from "@moorage/core";
import { readNotes } from "@moorage/core";
import type { Facts, ProcessUsage } from "@moorage/harness";
import { readFacts } from "@moorage/harness";
import { readDeliveryFacts } from "./deliveries.ts";
import type { DeliveryFacts } from "./delivery-facts.ts";
import { incarnationsOf, instancePaths } from "./instance-folder.ts";
import type { InstanceRow } from "./instance-row.ts";
import { markOf, readCounter, readRow, readRows, startedAtOf } from "./instance-row.ts";
import type { Sighting } from "./observe.ts";
import { observeRow } from "./observe.ts";
import type { ScopeCore } from "./scope-core.ts";

/** `stopped` holds its lock but was stopped (SIGSTOP): it answers nobody until CONT. */
export type SupervisorState = "alive" | "stopped" | "starting" | "ended" | "lost" | "cannotTell";

export interface TurnFacts {
  readonly inFlight: number;
  /** ISO 8601: since when the oldest turn in flight runs; null when none does. */
  readonly since: string | null;
  /** The names of the oldest few in flight. */
  readonly names: readonly string[];
  /** ISO 8601: when a turn began or ended last. */
  readonly lastAt: string | null;
}

export interface InstanceFacts {
  readonly name: string;
  readonly uid: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly supervisor: { readonly state: SupervisorState; readonly pid: number | null };
  /** Of the agent's own process; null before it starts. It may have ended. */
  readonly pid: number | null;
  /** null: it does not tell its turns, or has not yet. */
  readonly turn: TurnFacts | null;
  readonly health: { readonly state: "unknown" | "healthy" | "unhealthy"; readonly since: string | null };
  /** ISO 8601: since when it is asked to end. */
  readonly drainingSince: string | null;
  /** Resident bytes and CPU milliseconds of the agent's whole tree; null when it does not run or cannot be told. */
  readonly memoryBytes: number | null;
  readonly cpuMs: number | null;
  readonly revives: number;
  /** The folders with the output of this run and of the one before. */
  readonly logs: string;
  readonly previousLogs: string | null;
  /** The agent's lasting folder. */
  readonly workspace: string;
  readonly template: ProcessTemplate;
  readonly launchEnv: Readonly<Record<string, string>>;
  /** Its life with bundles; null where none are delivered to it, or nothing can be told. */
  readonly delivery: DeliveryFacts | null;
  /** Why the supervisor waits, where it does. */
  readonly waiting: string | null;
}

/** In the order of their names; those that are not there are missing. Nothing here decides anything. */
export async function gatherFacts(core: ScopeCore, names: readonly string[] | undefined): Promise<InstanceFacts[]> {
  const sightings = await sightingsOf(core, names);
  const running = sightings.flatMap(({ row, look }) =>
    look.supervisor === "held" ? (markOf(row.status)?.pid ?? []) : [],
  );
  const usage = running.length === 0 ? new Map<number, ProcessUsage>() : await core.table.usage(running);
  const stopped = await stoppedSupervisors(core, sightings);
  return Promise.all(
    sightings.map(async (sighting) => factsOf(core, sighting, usage, stopped, await deliveryOf(core, sighting))),
  );
}

/** Milliseconds for which the locks need not be looked at again: a status reads first, and then asks for facts. */
const freshMs = 250;

async function sightingsOf(core: ScopeCore, names: readonly string[] | undefined): Promise<readonly Sighting[]> {
  const { all } = core.lastSeen;
  if (all !== null && core.clock.now() - all.at < freshMs && all.version === String(readCounter(core.database))) {
    const wanted = names === undefined ? null : new Set(names);
    return wanted === null ? all.sightings : all.sightings.filter(({ row }) => wanted.has(row.name));
  }
  const rows =
    names === undefined
      ? readRows(core.database)
      : names.flatMap((name) => readRow(core.database, name) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
  const sightings: Sighting[] = [];
  for (const row of rows) sightings.push(await observeRow(core, row));
  return sightings;
}

async function stoppedSupervisors(core: ScopeCore, sightings: readonly Sighting[]): Promise<ReadonlySet<number>> {
  const pids = sightings.flatMap(({ row, look }) =>
    look.supervisor === "held" && row.claim?.machine.pidNamespace === core.here.pidNamespace
      ? (row.claim?.pid ?? [])
      : [],
  );
  if (pids.length === 0) return new Set();
  const scan = await core.table.look(pids);
  if (scan.kind === "unreadable") return new Set();
  return new Set(scan.processes.flatMap(({ pid, state }) => (state === "stopped" ? pid : [])));
}

function factsOf(
  core: ScopeCore,
  { row, look, observed }: Sighting,
  usage: ReadonlyMap<number, ProcessUsage>,
  stopped: ReadonlySet<number>,
  delivery: DeliveryFacts | null,
): InstanceFacts {
  const paths = instancePaths(core.stateDir, row);
  const told = row.claim === null ? null : readFacts(paths.facts);
  const mark = markOf(row.status);
  const used = mark === null ? undefined : usage.get(mark.pid);
  return {
    name: row.name,
    uid: row.uid,
    createdAt: row.createdAt,
    startedAt: startedAtOf(row.status),
    supervisor: { state: supervisorState(row, { look, observed }, stopped), pid: row.claim?.pid ?? null },
    pid: mark?.pid ?? null,
    turn: turnOf(told),
    health: healthOf(told),
    drainingSince: told?.drainingSince ?? null,
    memoryBytes: used?.residentBytes ?? null,
    cpuMs: used === undefined ? null : Math.round(used.cpuSeconds * 1000),
    revives: revivesOf(core, row.name).length,
    logs: paths.logs,
    // Its folder is read only for who asks.
    get previousLogs() {
      const previous = incarnationsOf(core.stateDir, row.name).find((folder) => folder !== row.folder);
      return previous === undefined ? null : instancePaths(core.stateDir, { name: row.name, folder: previous }).logs;
    },
    workspace: paths.workspace,
    template: row.template,
    launchEnv: row.launchEnv,
    delivery,
    waiting: row.status.phase === "waiting" ? row.status.message : null,
  };
}

/** Read only for an agent to which bundles are delivered: what it takes to read one is not loaded for the others. */
async function deliveryOf(core: ScopeCore, { row }: Sighting): Promise<DeliveryFacts | null> {
  if (readNotes(row, core.profile).catalog === undefined) return null;
  return readDeliveryFacts(instancePaths(core.stateDir, row).delivery, Date.now());
}

const dayMs = 86_400_000;

/** Times of the revives of the last day. */
export function revivesOf({ database }: ScopeCore, name: string): number[] {
  return database
    .all("SELECT at FROM revives WHERE name = ? AND at > ? ORDER BY at", name, Date.now() - dayMs)
    .map((row) => Number(row["at"]));
}

function supervisorState(
  row: InstanceRow,
  { look, observed }: Pick<Sighting, "look" | "observed">,
  stopped: ReadonlySet<number>,
): SupervisorState {
  const { container } = observed.evidence;
  if (container.state === "unjudgeable") return "cannotTell";
  if (look.supervisor === "held") {
    if (row.claim === null) return "starting";
    return stopped.has(row.claim.pid) ? "stopped" : "alive";
  }
  if (row.status.phase === "ended") return "ended";
  return row.claim === null && look.creator === "held" ? "starting" : "lost";
}

function turnOf(told: Facts | null): TurnFacts | null {
  if (told === null || !told.connected) return null;
  const times = [...told.oldest.map(({ startedAt }) => startedAt), ...(told.last === null ? [] : [told.last.endedAt])];
  return {
    inFlight: told.inFlight,
    since: told.oldest[0]?.startedAt ?? null,
    names: told.oldest.map(({ id }) => id),
    lastAt: times.sort().at(-1) ?? null,
  };
}

function healthOf(told: Facts | null): InstanceFacts["health"] {
  const health = told?.health ?? { kind: "unknown" };
  return { state: health.kind, since: health.kind === "unhealthy" ? health.since : null };
}
