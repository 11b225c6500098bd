/** From the Secret to the agent's end: its catalog, and one round of supervision, or a second that brings it back within the same instance. */
import type { Clock } from "@moorage/core";
import type { LogWriter, Supervision, SupervisionEnd, SupervisorSpec } from "@moorage/harness";
import { copyCatalog, gatedLaunch, killProcess, openLogWriter, processTable, supervise } from "@moorage/harness";
import type { Delivery } from "@moorage/harness/delivery";
import type { Database } from "./database.ts";
import type { DeliveredAgent } from "./delivered-agent.ts";
import type { InstancePaths } from "./instance-folder.ts";
import type { Claim, InstanceRow } from "./instance-row.ts";
import type { PatientRecord } from "./patient-record.ts";
import type { InstanceRecord } from "./record.ts";
import { agentOf, attemptOf, channelOf } from "./row-marks.ts";
import type { TailLog } from "./tail-log.ts";
import { tailLog } from "./tail-log.ts";

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
  let log: TailLog | null = null;
  const catalog = await catalogOf(order, run, { secrets: secrets.values(), logTail: () => log?.tail() ?? "" });
  if (catalog.kind === "refused") return run.patient.endBefore(`its catalog cannot be used: ${catalog.detail}`);
  const delivery = catalog.kind === "delivered" ? catalog.agent.delivery : null;
  const spec = specOf(order, run, { secrets, catalogDir: catalog.directory });
  try {
    for (let before = "it had not been started"; ; before = "it was about to be brought back") {
      if (await run.patient.isOver(before)) return;
      const writer = openLogWriter({ directory: run.paths.logs });
      if (delivery !== null) log = tailLog(writer);
      const end = await superviseOnce(order, run, { spec, delivery, log: log ?? writer });
      if (end?.kind !== "again") return;
      // Nothing of it is left, and its instance goes on: whoever looks meanwhile is told so.
      if (!(await run.patient.insist(() => run.record.again(end.why)))) return;
    }
  } finally {
    if (catalog.kind === "delivered") await catalog.agent.close();
  }
}

type Catalog =
  | { readonly kind: "none"; readonly directory: null }
  | { readonly kind: "copied"; readonly directory: string }
  | {
      readonly kind: "delivered";
      readonly directory: string | null;
      readonly agent: Extract<DeliveredAgent, { kind: "ready" }>;
    }
  | { readonly kind: "refused"; readonly detail: string };

/** What the agent is started on: what its channel delivers, or a copy of the declared folder where nothing does. */
async function catalogOf(
  order: SupervisorOrder,
  run: Run,
  about: { readonly secrets: Iterable<string>; readonly logTail: () => string },
): Promise<Catalog> {
  const { row, paths } = run;
  const { catalog } = row.template;
  if (catalog === null) return { kind: "none", directory: null };
  const channel = channelOf(row);
  if (channel === null) {
    const copy = copyCatalog(catalog.path, paths.catalog);
    return copy.kind === "refused" ? copy : { kind: "copied", directory: paths.catalog };
  }
  try {
    const { deliveredAgent } = await import("./delivered-agent.ts");
    const agent = await deliveredAgent(order, run, { ...about, channel });
    return agent.kind === "refused" ? agent : { kind: "delivered", directory: agent.directory, agent };
  } catch (error) {
    return { kind: "refused", detail: error instanceof Error ? error.message : String(error) };
  }
}

/** Null: there was nothing to supervise, and why is on record. */
async function superviseOnce(
  order: SupervisorOrder,
  { paths, record, patient }: Run,
  {
    spec,
    delivery,
    log,
  }: { readonly spec: SupervisorSpec; readonly delivery: Delivery | null; readonly log: LogWriter },
): Promise<SupervisionEnd | null> {
  let supervision: Supervision;
  try {
    supervision = supervise(spec, {
      record,
      clock: order.clock,
      table: processTable(),
      kill: killProcess,
      launch: gatedLaunch({ stdout: paths.stdout, stderr: paths.stderr }, log),
      wallTime: Date.now,
      ...(delivery === null ? {} : { catalog: delivery }),
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
  { secrets, catalogDir }: { readonly secrets: ReadonlyMap<string, string>; readonly catalogDir: string | null },
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
    catalogDir,
    socketPath: claim.socket,
    factsPath: paths.facts,
  };
}
