/** One supervisor's life: its lock, its claim on the row, the agent's Secret, and then the harness until the agent is gone. */
import { mkdirSync } from "node:fs";
import type { Clock } from "@moorage/core";
import type { Supervision, SupervisorSpec } from "@moorage/harness";
import {
  chooseSocketPath,
  copyCatalog,
  gatedLaunch,
  killProcess,
  machineIdentity,
  openLogWriter,
  processTable,
  supervise,
} from "@moorage/harness";
import { Database } from "./database.ts";
import { livingEarlierRun } from "./earlier-run.ts";
import type { InstancePaths } from "./instance-folder.ts";
import { instancePaths } from "./instance-folder.ts";
import type { Claim, InstanceRow } from "./instance-row.ts";
import { readFolder, readRow } from "./instance-row.ts";
import { takeLock } from "./lock.ts";
import type { InstanceRecord } from "./record.ts";
import { instanceRecord } from "./record.ts";
import { register, registryKey } from "./registry.ts";
import { readSecretData } from "./secret-row.ts";

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

/** Milliseconds that the lock may seem held because somebody merely looks at it. */
const lookersMs = 2_000;
const busyMs = 200;
const waitMs = 250;

/** Resolves when there is nothing left to supervise. Without a row of its name and UID it does nothing at all. */
export async function runSupervisor(order: SupervisorOrder): Promise<void> {
  const { stateDir, name, uid } = order;
  const folder = ownFolder(stateDir, name, uid);
  if (folder === null) return;
  const paths = instancePaths(stateDir, { name, folder });
  const lock = takeLock(paths.supervisorLock, lookersMs);
  if (lock === null) return;
  try {
    const database = new Database(stateDir, { readOnly: false, busyMs });
    try {
      // Only what is read under the lock counts: whoever removes the row holds it.
      const row = readRow(database, name);
      if (row?.uid !== uid) return;
      const record = instanceRecord(database, row, lock);
      const claim = await claimOf(order, paths);
      if (await insist(order, () => record.change({ claim, status: preparing })))
        await withIdentity(order, { database, row, paths, record, claim });
    } finally {
      database.close();
    }
  } finally {
    lock.release();
  }
}

interface Run {
  readonly database: Database;
  readonly row: InstanceRow;
  readonly paths: InstancePaths;
  readonly record: InstanceRecord;
  readonly claim: Claim;
}

const preparing = {
  phase: "waiting",
  code: "preparing",
  message: "its supervisor prepares its start",
  secretMissing: false,
} as const;

function ownFolder(stateDir: string, name: string, uid: string): string | null {
  const database = new Database(stateDir, { readOnly: true, busyMs: lookersMs });
  try {
    return readFolder(database, name, uid);
  } finally {
    database.close();
  }
}

async function claimOf({ stateDir, name, uid, temporaryDir }: SupervisorOrder, paths: InstancePaths): Promise<Claim> {
  mkdirSync(paths.workspace, { recursive: true, mode: 0o700 });
  const socket = chooseSocketPath({
    wanted: paths.socket,
    key: `${stateDir}/${name}/${uid}`,
    runtimeDir: null,
    temporaryDir,
    uid: process.getuid?.() ?? 0,
  });
  const scan = await processTable().look([process.pid]);
  const own = scan.kind === "read" ? scan.processes.find(({ pid }) => pid === process.pid) : undefined;
  return { machine: machineIdentity(), pid: process.pid, start: own?.start ?? null, socket };
}

/** Registered for life; another one of the same identity ends this one before it begins. */
async function withIdentity(order: SupervisorOrder, run: Run): Promise<void> {
  const { row, paths, record } = run;
  if (order.registryDir === null) return superviseAgent(order, run);
  const key = registryKey(identityOf(row), row.template.identityKey !== null, order.stateDir);
  const entry = { stateDir: order.stateDir, outputs: [paths.stdout, paths.stderr] };
  for (let told = false; ; ) {
    const registration = register({ directory: order.registryDir }, key, entry);
    if (registration.kind === "taken") {
      await superviseAgent(order, run);
      return registration.release();
    }
    if (registration.kind === "impossible") return superviseAgent(order, run);
    if (registration.by !== null && registration.by.stateDir !== order.stateDir)
      return endBefore(
        order,
        record,
        `the same key has an agent in another state directory: ${registration.by.stateDir}`,
      );
    // A run of a state directory that was deleted still ends: two copies must not be.
    if (!told) told = await wait(order, record, "earlierRun", "an earlier run of this agent still ends", false);
    if (await endsWaiting(order, record)) return;
  }
}

async function superviseAgent(order: SupervisorOrder, run: Run): Promise<void> {
  const { row, paths, record } = run;
  const secrets = await awaitSecret(order, run);
  // A mark that came while it booted poked nobody.
  if (secrets === null || (await isOver(order, record))) return;
  const earlier = livingEarlierRun(order.stateDir, row);
  if (earlier !== null) return endBefore(order, record, earlier);
  const { catalog } = row.template;
  if (catalog !== null) {
    const copy = copyCatalog(catalog.path, paths.catalog);
    if (copy.kind === "refused") return endBefore(order, record, `its catalog cannot be used: ${copy.detail}`);
  }
  let supervision: Supervision;
  try {
    supervision = supervise(specOf(order, run, secrets), {
      record,
      clock: order.clock,
      table: processTable(),
      kill: killProcess,
      launch: gatedLaunch({ stdout: paths.stdout, stderr: paths.stderr }, openLogWriter({ directory: paths.logs })),
      wallTime: Date.now,
    });
  } catch (error) {
    return endBefore(order, record, error instanceof Error ? error.message : String(error));
  }
  const stop = (): void => supervision.stop(null);
  order.stop.addEventListener("abort", stop);
  if (order.stop.aborted) stop();
  await supervision.done;
  order.stop.removeEventListener("abort", stop);
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

/** The values for the agent's environment; null when the instance has ended before they came. */
async function awaitSecret(order: SupervisorOrder, run: Run): Promise<ReadonlyMap<string, string> | null> {
  const { database, row, record } = run;
  for (let told = false; ; ) {
    const data = readSecretData(database, row.secret);
    if (data !== null) return data;
    if (!told) told = await wait(order, record, "secretMissing", `its Secret ${row.secret} is not there`, true);
    if (await endsWaiting(order, record)) return null;
  }
}

async function wait(
  order: SupervisorOrder,
  record: InstanceRecord,
  code: string,
  message: string,
  secretMissing: boolean,
): Promise<boolean> {
  return insist(order, () => record.change({ status: { phase: "waiting", code, message, secretMissing } }));
}

async function endsWaiting(order: SupervisorOrder, record: InstanceRecord): Promise<boolean> {
  await order.clock.sleep(waitMs, order.stop);
  return isOver(order, record);
}

/** Whether nobody wants the agent any more, before it was started; then its end is on record. */
async function isOver(order: SupervisorOrder, record: InstanceRecord): Promise<boolean> {
  const look = record.look();
  if (look.kind === "gone") return true;
  if (!order.stop.aborted && (look.kind === "unreadable" || look.stop === null)) return false;
  await insist(order, () =>
    record.ended({ reason: "stopped", exitCode: null, signal: null, detail: "it had not been started", at: now() }),
  );
  return true;
}

async function endBefore(order: SupervisorOrder, record: InstanceRecord, detail: string): Promise<void> {
  await insist(order, () => record.ended({ reason: "notStarted", exitCode: null, signal: null, detail, at: now() }));
}

/** Until it is on record (true) or no longer ours (false); a full disk or a lock is waited out. */
async function insist(order: SupervisorOrder, write: () => { readonly kind: string }): Promise<boolean> {
  for (let pause = waitMs; ; pause = Math.min(2 * pause, 2_000)) {
    const recorded = write();
    if (recorded.kind !== "later") return recorded.kind === "recorded";
    await order.clock.sleep(pause);
  }
}

function now(): string {
  return new Date().toISOString();
}

// The three below read the marks without `core`: it would double what a supervisor has to load.

function identityOf(row: InstanceRow): string {
  return annotation(row, "/identity") ?? row.selector;
}

function agentOf(row: InstanceRow): string {
  return annotation(row, "/name") ?? row.name;
}

function attemptOf(row: InstanceRow): string {
  return row.secret.slice(row.name.length + 1);
}

function annotation({ annotations }: InstanceRow, end: string): string | undefined {
  return Object.entries(annotations).find(([key]) => key.endsWith(end))?.[1];
}
