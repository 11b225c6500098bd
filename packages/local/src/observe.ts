/** Reads instances as core is to see them: the rows, and what their locks tell at this moment. */
import type { Identity, ObservedInstance, Reading } from "@moorage/core";
import { selectorValue } from "@moorage/core";
import type { InstanceRow } from "./instance-row.ts";
import { readCounter, readRow, readRows, readRowsOf } from "./instance-row.ts";
import { lookAtLocks } from "./lock-look.ts";
import type { ScopeCore } from "./scope-core.ts";
import type { LockLook } from "./verdict.ts";
import { containerOf, markCounts, observe } from "./verdict.ts";

/** Looks that were overtaken by a change are taken again, at most so often. */
const looksAtMost = 5;

/** A row with the look at its locks. */
export interface Sighting {
  readonly row: InstanceRow;
  readonly look: LockLook;
  readonly observed: ObservedInstance;
}

/** What a read of everything has seen a moment ago. */
export interface LastSeen {
  all: { readonly sightings: readonly Sighting[]; readonly version: string; readonly at: number } | null;
}

/** What one row means now. */
export async function observeRow(core: ScopeCore, row: InstanceRow): Promise<Sighting> {
  const look = await lookAtLocks(core.stateDir, row, core.here, core.table);
  const container = containerOf(row, look, core.here);
  const marked = markCounts(look, core.background.honoured.has(row.uid));
  return { row, look, observed: observe(row, container, marked, look.stopped) };
}

/** All instances of one identity. */
export async function readIdentity(core: ScopeCore, identity: Identity): Promise<Reading> {
  return reading(await readSettled(core, () => readRowsOf(core.database, selectorValue(identity))));
}

/** All instances of the scope. What was seen is kept for a moment, for facts about them. */
export async function readAll(core: ScopeCore): Promise<Reading> {
  const settled = await readSettled(core, () => readRows(core.database));
  core.lastSeen.all = { ...settled, at: core.clock.now() };
  return reading(settled);
}

function reading({ sightings, version }: Settled): Reading {
  return { kind: "read", instances: sightings.map(({ observed }) => observed), version };
}

interface Settled {
  readonly sightings: readonly Sighting[];
  readonly version: string;
}

async function readSettled(core: ScopeCore, rowsOf: () => readonly InstanceRow[]): Promise<Settled> {
  for (let looks = 1; ; looks += 1) {
    const { rows, version } = core.database.read(() => ({
      rows: rowsOf(),
      version: String(readCounter(core.database)),
    }));
    const sightings: Sighting[] = [];
    for (const row of rows) sightings.push(await observeRow(core, row));
    if (looks === looksAtMost || sightings.every((sighting) => isSettled(core, sighting)))
      return { sightings, version };
  }
}

/**
 * A lock was looked at after the row was read. A free one says something only about the row as it is then: its supervisor
 * may have recorded the end, or taken the instance over and ended, in between.
 */
function isSettled(core: ScopeCore, { row, look }: Sighting): boolean {
  if (look.supervisor === "held" || row.status.phase === "ended") return true;
  return readRow(core.database, row.name)?.version === row.version;
}
