/** Opens a state directory: checks that it may be used, brings the database up and composes the scope over it. */

import { rmSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Inventory, Substrate } from "@moorage/core";
import { moorageProfile } from "@moorage/core";
import { machineIdentity, processTable } from "@moorage/harness";
import { ChangeWatch } from "./change-watch.ts";
import { Busy, createDatabase, Database, databasePath } from "./database.ts";
import { openDeliveries } from "./deliveries.ts";
import { openDocuments } from "./documents.ts";
import { emptyScope } from "./empty-scope.ts";
import { gatherFacts, revivesOf } from "./facts.ts";
import { bundlesFolder, incarnationsOf, instanceBase, instancePaths, trustFolder } from "./instance-folder.ts";
import { readRow, updateRow } from "./instance-row.ts";
import { openJournal } from "./journal.ts";
import { probeLock } from "./lock.ts";
import { mountOf } from "./mount.ts";
import { poke } from "./poke.ts";
import type { Registry } from "./registry.ts";
import { openRegistry, openUsersRegistry } from "./registry.ts";
import type { Scope, ScopeOptions } from "./scope.ts";
import type { ScopeCore } from "./scope-core.ts";
import { Background, writePatiently } from "./scope-core.ts";
import { stateFault } from "./sqlite-fault.ts";
import { checkStateDir } from "./state-dir.ts";
import { createSubstrate } from "./substrate.ts";
import { findTransientScope } from "./transient-scope.ts";

const openingBusyMs = 5_000;
const busyMs = 100;

/** Throws a `StateError` when the directory or its database cannot be used; then nothing has been written. */
export async function openScope(options: ScopeOptions): Promise<Scope> {
  const write = options.mode === "write";
  const stateDir = checkStateDir(options.stateDir, {
    mode: options.mode,
    euid: process.geteuid?.() ?? 0,
    mountOf: options.mountOf ?? mountOf,
  });
  if (stateDir === null) return emptyScope(options);
  if (write) createDatabase(stateDir, options.random.token(12));
  else if (statSync(databasePath(stateDir), { throwIfNoEntry: false }) === undefined) return emptyScope(options);
  const { launchEnv } = options;
  const core: ScopeCore = {
    stateDir,
    database: openDatabase(stateDir, !write),
    clock: options.clock,
    random: options.random,
    profile: options.profile ?? moorageProfile,
    here: machineIdentity(),
    table: processTable(),
    watch: new ChangeWatch(stateDir, options.clock),
    registry: write ? registryOf(options) : null,
    background: new Background(),
    lastSeen: { all: null },
    launchEnv: typeof launchEnv === "function" ? launchEnv : () => launchEnv,
    supervisor: options.supervisor ?? [process.execPath, fileURLToPath(new URL("./supervisor.ts", import.meta.url))],
    transientScope:
      options.systemdScope === true
        ? findTransientScope(options.runtimeDir ?? `/run/user/${process.geteuid?.() ?? 0}`)
        : null,
  };
  return composeScope(core, options.mode, createSubstrate(core));
}

function registryOf({ registryDir }: ScopeOptions): Registry | null {
  return registryDir === undefined ? openUsersRegistry() : openRegistry(registryDir);
}

/** Opening waits for somebody who is just making or repairing the database. */
function openDatabase(stateDir: string, readOnly: boolean): Database {
  new Database(stateDir, { readOnly, busyMs: openingBusyMs }).close();
  return new Database(stateDir, { readOnly, busyMs });
}

function composeScope(core: ScopeCore, mode: "read" | "write", substrate: Substrate & Inventory): Scope {
  const { database, stateDir } = core;

  /** For people's commands: a lock of somebody else's is the fault that it is. */
  async function writing<T>(body: () => T): Promise<T> {
    try {
      return await writePatiently(core, body);
    } catch (error) {
      throw error instanceof Busy ? database.fault(error) : error;
    }
  }

  const journal = openJournal(stateDir, { clock: core.clock, writable: mode === "write" });
  return {
    stateDir,
    mode,
    substrate,
    inventory: substrate,
    journal,
    documents: openDocuments(core),
    bundlesFolder: bundlesFolder(stateDir),
    trustFolder: trustFolder(stateDir),
    ...openDeliveries(database, mode),
    facts: (names) => gatherFacts(core, names),
    async setStopGrace(name, graceMs) {
      const row = await writing(() => {
        const found = readRow(database, name);
        if (found !== null) updateRow(database, name, found.uid, { stopGraceMs: graceMs });
        return found;
      });
      if (row === null) return "notFound";
      if (row.claim !== null && row.deletionAt !== null) poke(row.claim.socket);
      return "set";
    },
    async purge(name) {
      if (readRow(database, name) !== null || isBeingCreated(stateDir, name)) return "stillThere";
      const base = instanceBase(stateDir, name);
      if (statSync(base, { throwIfNoEntry: false }) === undefined) return "nothing";
      try {
        rmSync(base, { recursive: true, force: true });
      } catch (error) {
        throw stateFault(error, stateDir);
      }
      return "purged";
    },
    revives: async (name) => revivesOf(core, name),
    recordRevive: (name, at, since) =>
      writing(() => {
        database.change(
          "INSERT INTO revives SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM revives WHERE name = ? AND at >= ?)",
          name,
          at,
          name,
          since,
        );
        database.change("DELETE FROM revives WHERE at < ?", at - revivesKeptMs);
      }),
    changed: (ms, signal) => core.watch.next(core.watch.begin(), ms, signal),
    settled: () => core.background.settled(),
    close() {
      core.background.close();
      core.watch.close();
      database.close();
    },
  };
}

/** A create makes its folder before its row. */
function isBeingCreated(stateDir: string, name: string): boolean {
  const newest = incarnationsOf(stateDir, name)[0];
  return newest !== undefined && probeLock(instancePaths(stateDir, { name, folder: newest }).creatorLock) === "held";
}

const revivesKeptMs = 7 * 86_400_000;
