/** In the place of a supervisor that is lost: ends what it left, each process proved, and only then removes its instance. */
import type { Ending, Removal } from "@moorage/core";
import type { Leftover, MachineComparison, ProcessMark } from "@moorage/harness";
import { compareMachines, endTree, killProcess, readFacts } from "@moorage/harness";
import { instancePaths } from "./instance-folder.ts";
import type { InstanceRow, Status } from "./instance-row.ts";
import { markOf, readRow, removeRow, startedAtOf, updateRow } from "./instance-row.ts";
import { outputHeld } from "./output-held.ts";
import type { ScopeCore } from "./scope-core.ts";
import { writePatiently } from "./scope-core.ts";
import { lostEnding } from "./verdict.ts";

/** Whoever calls it holds the supervisor's lock. Every way out of it leaves the instance either removed or as it was. */
export async function takeOver(core: ScopeCore, row: InstanceRow): Promise<Removal> {
  const { status, claim } = row;
  if (status.phase === "ended" || claim === null) return finish(core, row, status);
  const place = compareMachines(claim.machine, core.here);
  const mark = markOf(status);
  if (mark !== null && !provedEmpty(place, mark)) {
    const end = await endTree({
      mark,
      continuity: "recorded",
      termGraceMs: Math.min(row.template.graceMs, row.stopGraceMs ?? Number.POSITIVE_INFINITY),
      table: core.table,
      kill: killProcess,
      clock: core.clock,
      here: core.here,
    });
    if (end.kind === "cannotTell") return { kind: "refused", refusal: { kind: "cannotTell", detail: end.detail } };
    // The kernel's word beside what can be seen: another user's process shows neither its environment nor what it holds.
    const held = outputHeld(mark.outputs) === true;
    const left = end.kind === "leftovers" ? end.leftovers.filter((leftover) => held || blocks(leftover)) : [];
    if (left.length > 0)
      return {
        kind: "refused",
        refusal: { kind: "leftoversRemain", processes: left.map(({ pid, command }) => ({ pid, command })) },
      };
    if (held) return { kind: "refused", refusal: { kind: "cannotTell", detail: unseen } };
  }
  const ending = lostEnding(place === "rebooted" ? "rebooted" : "supervisorLost", lostTurns(core, row));
  return finish(core, row, ended(row, ending));
}

/** A restart of the machine ended everything; elsewhere the kernel tells that nobody holds its output any more. */
function provedEmpty(place: MachineComparison, mark: ProcessMark): boolean {
  return place === "rebooted" || (place === "otherNamespace" && outputHeld(mark.outputs) === false);
}

const unseen = "some process still holds the output of its earlier run, and which one cannot be seen from here";

/** What merely uses our numbers is somebody else's and is left alone. */
function blocks({ why }: Leftover): boolean {
  return why !== "unproved";
}

function ended(row: InstanceRow, ending: Ending): Status {
  return {
    phase: "ended",
    mark: markOf(row.status),
    startedAt: startedAtOf(row.status),
    ending: { ...ending, at: new Date().toISOString() },
  };
}

async function finish(core: ScopeCore, row: InstanceRow, status: Status): Promise<Removal> {
  await writePatiently(core, () => {
    updateRow(core.database, row.name, row.uid, { status });
    const last = readRow(core.database, row.name);
    if (last?.uid === row.uid) removeRow(core.database, last);
  });
  return { kind: "accepted" };
}

/** Turns that were in flight when nobody was left to see their end. */
function lostTurns(core: ScopeCore, row: InstanceRow): string | null {
  const facts = readFacts(instancePaths(core.stateDir, row).facts);
  if (facts === null || facts.inFlight === 0) return null;
  const named = facts.oldest.map(({ id, startedAt }) => `${id} (since ${startedAt})`).join(", ");
  return `${facts.inFlight} ${facts.inFlight === 1 ? "turn was" : "turns were"} lost: ${named}`;
}
