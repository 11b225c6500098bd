/** Creates an instance: its row under the creator's lock, then its supervisor, which takes over while the caller goes on. */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { InstanceCreation, InstanceSpec } from "@moorage/core";
import { markKey } from "@moorage/core";
import { makeFifos } from "@moorage/harness";
import { bootSupervisor } from "./boot-supervisor.ts";
import { clearOldIncarnations, instancePaths, linkCurrent, makeIncarnation } from "./instance-folder.ts";
import type { InstanceRow } from "./instance-row.ts";
import { insertRow, readNamesake, readRow, updateRow } from "./instance-row.ts";
import type { HeldLock } from "./lock.ts";
import { probeLock, takeLock } from "./lock.ts";
import { heldElsewhere, registryKey } from "./registry.ts";
import type { ScopeCore } from "./scope-core.ts";
import { writePatiently } from "./scope-core.ts";

/** Milliseconds that a supervisor has to take its instance over before its creator lets go of it. */
const takeOverMs = 30_000;

export async function createInstance(core: ScopeCore, spec: InstanceSpec): Promise<InstanceCreation> {
  const { database, stateDir, profile } = core;
  const { template } = spec;
  if (template.kind !== "process")
    throw new Error(`${spec.name} is to be a ${template.kind}, and this machine runs processes`);
  // Most creates that lose do so here, before they have made anything.
  if (readRow(database, spec.name) !== null) return { kind: "alreadyExists" };
  const identity = spec.annotations[markKey(profile, profile.identityAnnotation)] ?? "";
  if (core.registry !== null) {
    const key = registryKey(identity, template.identityKey !== null, stateDir);
    const elsewhere = heldElsewhere(core.registry, key, stateDir);
    if (elsewhere !== null) return { kind: "refused", refusal: { kind: "otherScope", scope: elsewhere.stateDir } };
  }
  const uid = core.random.token(32);
  const folder = makeIncarnation(stateDir, spec.name, uid);
  const paths = instancePaths(stateDir, { name: spec.name, folder });
  let lock: HeldLock | null = null;
  let inserted = false;
  let namesake: string | null = null;
  try {
    lock = takeLock(paths.creatorLock, 1_000);
    if (lock === null)
      return { kind: "unavailable", detail: `${paths.creatorLock} is held by somebody else`, retryAfterMs: 100 };
    const row: Omit<InstanceRow, "version"> = {
      name: spec.name,
      uid,
      selector: spec.labels[markKey(profile, profile.identityLabel)] ?? "",
      labels: spec.labels,
      annotations: spec.annotations,
      secret: spec.secret,
      folder,
      template,
      launchEnv: core.launchEnv(spec.name),
      createdAt: new Date().toISOString(),
      creator: core.here,
      claim: null,
      status: { phase: "waiting", code: "booting", message: "its supervisor is being started", secretMissing: false },
      deletionAt: null,
      stopGraceMs: null,
    };
    // Before there is a row: who cannot make it leaves nothing.
    mkdirSync(paths.workspace, { recursive: true, mode: 0o700 });
    inserted = await writePatiently(core, () => {
      if (readRow(database, spec.name) !== null) return false;
      const nameKey = markKey(profile, "name");
      namesake = readNamesake(database, spec.name, nameKey, spec.annotations[nameKey] ?? "");
      if (namesake !== null) return false;
      insertRow(database, row);
      return true;
    });
    if (namesake !== null) return { kind: "refused", refusal: { kind: "nameTaken", by: namesake } };
    if (!inserted) return { kind: "alreadyExists" };
    const held = lock;
    // What it throws is a fault of the state, which the next read of it tells as well.
    core.background.work(() => untilTakenOver(core, row, held)).catch(() => undefined);
    return { kind: "created" };
  } finally {
    if (!inserted) {
      lock?.release();
      rmSync(join(stateDir, folder), { recursive: true, force: true });
    }
  }
}

/** Holds the creator's lock until the supervisor holds its own, or is known never to do so. */
async function untilTakenOver(core: ScopeCore, row: Omit<InstanceRow, "version">, lock: HeldLock): Promise<void> {
  const paths = instancePaths(core.stateDir, row);
  let scope = core.transientScope;
  let boot = bootSupervisor(core, row, paths.supervisorLog, scope);
  const until = core.clock.now() + takeOverMs;
  // While it boots: it makes what it does not find, and that then is a part of the wait for its agent.
  makeFifos(paths, row.launchEnv["PATH"] ?? "").catch(() => undefined);
  try {
    tryToLinkCurrent(core.stateDir, row);
    while (core.clock.now() < until) {
      if (probeLock(paths.supervisorLock) === "held") return;
      const now = readRow(core.database, row.name);
      if (now === null || now.uid !== row.uid || now.claim !== null) return;
      if (boot.ended !== null && scope !== null) {
        // The user's manager did not want to: it is a convenience, and no condition.
        scope = null;
        boot = bootSupervisor(core, row, paths.supervisorLog, scope);
      } else if (boot.ended !== null) {
        await recordFailedBoot(core, row, boot.ended, paths.supervisorLog);
        return;
      }
      await core.clock.sleep(10);
    }
  } finally {
    lock.release();
    clearOldIncarnations(core.stateDir, row.name);
  }
}

/** A convenience for people: a disk that has no room for it keeps nobody from being taken over. */
function tryToLinkCurrent(stateDir: string, { name, folder }: Omit<InstanceRow, "version">): void {
  try {
    linkCurrent(stateDir, name, folder);
  } catch {
    // The next start makes it.
  }
}

/** Nobody else can have recorded anything: this process holds the creator's lock. */
async function recordFailedBoot(
  core: ScopeCore,
  row: Omit<InstanceRow, "version">,
  ended: string,
  log: string,
): Promise<void> {
  const words = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").slice(-3).join(" ").slice(0, 500) : "";
  const detail = `its supervisor could not be started (${ended})${words === "" ? "" : `: ${words}`}`;
  await writePatiently(core, () => {
    if (readRow(core.database, row.name)?.claim !== null) return;
    updateRow(core.database, row.name, row.uid, {
      status: {
        phase: "ended",
        mark: null,
        startedAt: null,
        ending: { reason: "notStarted", exitCode: null, signal: null, detail, at: new Date().toISOString() },
      },
    });
  });
}
