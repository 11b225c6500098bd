/** One supervisor's life: its lock, its claim on the row, the agent's Secret, and then the harness until the agent is gone. */
import { mkdirSync } from "node:fs";
import { chooseSocketPath, machineIdentity, processTable } from "@moorage/harness";
import type { Run, SupervisorOrder } from "./agent-rounds.ts";
import { superviseAgent } from "./agent-rounds.ts";
import { Database } from "./database.ts";
import { livingEarlierRun } from "./earlier-run.ts";
import type { InstancePaths } from "./instance-folder.ts";
import { instancePaths } from "./instance-folder.ts";
import type { Claim } from "./instance-row.ts";
import { readFolder, readRow } from "./instance-row.ts";
import { takeLock } from "./lock.ts";
import { patientRecord } from "./patient-record.ts";
import { instanceRecord } from "./record.ts";
import { register, registryKey } from "./registry.ts";
import { identityOf } from "./row-marks.ts";
import { readSecretData } from "./secret-row.ts";

/** Milliseconds that the lock may seem held because somebody merely looks at it. */
const lookersMs = 2_000;
const busyMs = 200;

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
      const patient = patientRecord(record, order.clock, order.stop);
      const claim = await claimOf(order, paths);
      if (await patient.insist(() => record.change({ claim, status: preparing })))
        await withIdentity(order, { database, row, paths, record, patient, claim });
    } finally {
      database.close();
    }
  } finally {
    lock.release();
  }
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
  const { row, paths, patient } = run;
  if (order.registryDir === null) return afterItsSecret(order, run);
  const key = registryKey(identityOf(row), row.template.identityKey !== null, order.stateDir);
  const entry = { stateDir: order.stateDir, outputs: [paths.stdout, paths.stderr] };
  for (let told = false; ; ) {
    const registration = register({ directory: order.registryDir }, key, entry);
    if (registration.kind === "taken") {
      await afterItsSecret(order, run);
      return registration.release();
    }
    if (registration.kind === "impossible") return afterItsSecret(order, run);
    if (registration.by !== null && registration.by.stateDir !== order.stateDir)
      return patient.endBefore(`the same key has an agent in another state directory: ${registration.by.stateDir}`);
    // A run of a state directory that was deleted still ends: two copies must not be.
    if (!told) told = await patient.wait("earlierRun", "an earlier run of this agent still ends", false);
    if (await patient.endsWaiting()) return;
  }
}

async function afterItsSecret(order: SupervisorOrder, run: Run): Promise<void> {
  const secrets = await awaitSecret(run);
  // A mark that came while it booted poked nobody.
  if (secrets === null || (await run.patient.isOver())) return;
  const earlier = livingEarlierRun(order.stateDir, run.row);
  if (earlier !== null) return run.patient.endBefore(earlier);
  await superviseAgent(order, run, secrets);
}

/** The values for the agent's environment; null when the instance has ended before they came. */
async function awaitSecret({ database, row, patient }: Run): Promise<ReadonlyMap<string, string> | null> {
  for (let told = false; ; ) {
    const data = readSecretData(database, row.secret);
    if (data !== null) return data;
    if (!told) told = await patient.wait("secretMissing", `its Secret ${row.secret} is not there`, true);
    if (await patient.endsWaiting()) return null;
  }
}
