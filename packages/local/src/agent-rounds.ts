/** From the Secret to the agent's end: its catalog, and one round of supervision, or a second that brings it back within the same instance. */
import type { Clock } from "@moorage/core";
import type { Supervision, SupervisionEnd, SupervisorSpec } from "@moorage/harness";
import { copyCatalog, gatedLaunch, killProcess, openLogWriter, processTable, supervise } from "@moorage/harness";
import type { Database } from "./database.ts";
import type { InstancePaths } from "./instance-folder.ts";
import type { Claim, InstanceRow } from "./instance-row.ts";
import type { PatientRecord } from "./patient-record.ts";
import type { InstanceRecord } from "./record.ts";
import { agentOf, attemptOf } from "./row-marks.ts";

export interface SupervisorOrder {
  readonly stateDir: string;
  readonly name: string;
  readonly uid: string;
  /** Null: no registry is kept. */
  readonly registryDir: string | null;
  readonly temporaryDir: string;
  readonly clock: Clock;
  /** Aborts when the supervisor itself is asked to end (SIGTERM): the agent then ends as by a stop. */
  readonly stop: AbortSignal;
}

/** An instance whose row this supervisor has claimed. */
export interface Run {
  readonly database: Database;
  readonly row: InstanceRow;
  readonly paths: InstancePaths;
  readonly record: InstanceRecord;
  readonly patient: PatientRecord;
  readonly claim: Claim;
}

export async function superviseAgent(
  order: SupervisorOrder,
  run: Run,
  secrets: ReadonlyMap<string, string>,
): Promise<void> {
  const { paths, patient } = run;
  const { catalog } = run.row.template;
  if (catalog !== null) {
    const copy = copyCatalog(catalog.path, paths.catalog);
    if (copy.kind === "refused") return patient.endBefore(`its catalog cannot be used: ${copy.detail}`);
  }
  const spec = specOf(order, run, secrets);
  await superviseOnce(order, run, spec);
}

/** Null: there was nothing to supervise, and why is on record. */
async function superviseOnce(
  order: SupervisorOrder,
  { paths, record, patient }: Run,
  spec: SupervisorSpec,
): Promise<SupervisionEnd | null> {
  let supervision: Supervision;
  try {
    supervision = supervise(spec, {
      record,
      clock: order.clock,
      table: processTable(),
      kill: killProcess,
      launch: gatedLaunch({ stdout: paths.stdout, stderr: paths.stderr }, openLogWriter({ directory: paths.logs })),
      wallTime: Date.now,
    });
  } catch (error) {
    await patient.endBefore(error instanceof Error ? error.message : String(error));
    return null;
  }
  const stop = (): void => supervision.stop(null);
  order.stop.addEventListener("abort", stop);
  if (order.stop.aborted) stop();
  const end = await supervision.done;
  order.stop.removeEventListener("abort", stop);
  return end;
}

function specOf(
  { stateDir }: SupervisorOrder,
  { row, paths, claim }: Run,
  secrets: ReadonlyMap<string, string>,
): SupervisorSpec {
  const { template } = row;
  const [command, ...args] = template.command;
  return {
    instance: row.name,
    attempt: attemptOf(row),
    machine: claim.machine,
    command,
    args,
    directory: template.directory,
    env: {
      ...row.launchEnv,
      ...template.env,
      ...Object.fromEntries(secrets),
      MOORAGE_WORKSPACE: paths.workspace,
      MOORAGE_AGENT: agentOf(row),
      MOORAGE_STATE: stateDir,
    },
    drainMs: template.drainMs,
    graceMs: template.graceMs,
    idleMs: template.idleMs,
    health: template.health,
    catalogDir: template.catalog === null ? null : paths.catalog,
    socketPath: claim.socket,
    factsPath: paths.facts,
  };
}
