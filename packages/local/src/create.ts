/** Creates an instance: its row under the creator's lock, then its supervisor, which takes over while the caller goes on. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import type { InstanceCreation, InstanceSpec } from "@moorage/core";
import { markKey } from "@moorage/core";
import { clearOldIncarnations, instancePaths, linkCurrent, makeIncarnation } from "./instance-folder.ts";
import type { InstanceRow } from "./instance-row.ts";
import { insertRow, readRow, updateRow } from "./instance-row.ts";
import type { HeldLock } from "./lock.ts";
import { probeLock, takeLock } from "./lock.ts";
import { heldElsewhere, registryKey } from "./registry.ts";
import type { ScopeCore } from "./scope-core.ts";
import { writePatiently } from "./scope-core.ts";

/** Milliseconds that a supervisor has to take its instance over before its creator lets go of it. */
const takeOverMs = 30_000;

export async function createInstance(core: ScopeCore, spec: InstanceSpec): Promise<InstanceCreation> {
  const { database, stateDir, profile } = core;
  // Most creates that lose do so here, before they have made anything.
  if (readRow(database, spec.name) !== null) return { kind: "alreadyExists" };
  const identity = spec.annotations[markKey(profile, profile.identityAnnotation)] ?? "";
  if (core.registry !== null) {
    const key = registryKey(identity, spec.template.identityKey !== null, stateDir);
    const elsewhere = heldElsewhere(core.registry, key, stateDir);
    if (elsewhere !== null) return { kind: "refused", refusal: { kind: "otherScope", scope: elsewhere.stateDir } };
  }
  const uid = core.random.token(32);
  const folder = makeIncarnation(stateDir, spec.name, uid);
  const paths = instancePaths(stateDir, { name: spec.name, folder });
  let lock: HeldLock | null = null;
  let inserted = false;
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
      template: spec.template,
      launchEnv: core.launchEnv(spec.name),
      createdAt: new Date().toISOString(),
      creator: core.here,
      claim: null,
      status: { phase: "waiting", code: "booting", message: "its supervisor is being started", secretMissing: false },
      deletionAt: null,
      stopGraceMs: null,
    };
    inserted = await writePatiently(core, () => {
      if (readRow(database, spec.name) !== null) return false;
      insertRow(database, row);
      return true;
    });
    if (!inserted) return { kind: "alreadyExists" };
    mkdirSync(paths.workspace, { recursive: true, mode: 0o700 });
    const held = lock;
    const child = bootSupervisor(core, row, paths.supervisorLog);
    core.background.run(() => untilTakenOver(core, row, child, held));
    return { kind: "created" };
  } finally {
    if (!inserted) {
      lock?.release();
      rmSync(join(stateDir, folder), { recursive: true, force: true });
    }
  }
}

interface Boot {
  readonly child: ChildProcess;
  /** Why it ended, once it has. */
  ended: string | null;
}

/** Detached, in a session of its own, with nothing of the caller's but what it is told. */
function bootSupervisor(core: ScopeCore, row: Pick<InstanceRow, "name" | "uid">, log: string): Boot {
  const output = openSync(log, "a", 0o600);
  try {
    const [program, ...args] = core.supervisor;
    const child = spawn(program, [...args, core.stateDir, row.name, row.uid, core.registry?.directory ?? ""], {
      cwd: core.stateDir,
      detached: true,
      stdio: ["ignore", "ignore", output],
      env: supervisorEnvironment(core.launchEnv(row.name)),
    });
    const boot: Boot = { child, ended: null };
    child.once("error", (error) => {
      boot.ended = error.message;
    });
    child.once("exit", (code, signal) => {
      boot.ended = signal === null ? `exit code ${code}` : `ended by ${signal}`;
    });
    child.unref();
    return boot;
  } finally {
    closeSync(output);
  }
}

/** Only what Node and the socket's place need: NODE_OPTIONS and the like of a caller must not reach into it. */
function supervisorEnvironment(launchEnv: Readonly<Record<string, string>>): Record<string, string> {
  const kept = ["PATH", "HOME", "TMPDIR", "LANG", "TZ"] as const;
  const cache = getCompileCacheDir();
  return {
    ...Object.fromEntries(kept.flatMap((key) => (launchEnv[key] === undefined ? [] : [[key, launchEnv[key]]]))),
    // Without compiled code at hand the sources alone cost it twice the memory. Node adds its own version to the path.
    ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }),
  };
}

/** Holds the creator's lock until the supervisor holds its own, or is known never to do so. */
async function untilTakenOver(
  core: ScopeCore,
  row: Omit<InstanceRow, "version">,
  boot: Boot,
  lock: HeldLock,
): Promise<void> {
  const paths = instancePaths(core.stateDir, row);
  const until = core.clock.now() + takeOverMs;
  try {
    linkCurrent(core.stateDir, row.name, row.folder);
    while (core.clock.now() < until) {
      if (probeLock(paths.supervisorLock) === "held") return;
      const now = readRow(core.database, row.name);
      if (now === null || now.uid !== row.uid || now.claim !== null) return;
      if (boot.ended !== null) {
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

/** Nobody else can have recorded anything: this process holds the creator's lock. */
async function recordFailedBoot(
  core: ScopeCore,
  row: Omit<InstanceRow, "version">,
  ended: string,
  log: string,
): Promise<void> {
  const words = readFileSync(log, "utf8").trim().split("\n").slice(-3).join(" ").slice(0, 500);
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
