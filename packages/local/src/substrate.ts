/** The Substrate port of core over a state directory: what can be said comes as a value, faults of the state are thrown. */
import type { Inventory, SecretCreation, Substrate, Unavailable } from "@moorage/core";
import { markKey, selectorValue } from "@moorage/core";
import { createInstance } from "./create.ts";
import { Busy } from "./database.ts";
import { deleteInstance } from "./delete.ts";
import { followIdentity } from "./follow.ts";
import { readRow } from "./instance-row.ts";
import { observeRow, readAll, readIdentity } from "./observe.ts";
import { readScopeTime, takeScopeTime } from "./scope-clock.ts";
import type { ScopeCore } from "./scope-core.ts";
import { writePatiently } from "./scope-core.ts";
import { insertSecret, readSecretData, readSecrets, removeSecret, secretExists } from "./secret-row.ts";
import { isSystemFault, stateFault } from "./sqlite-fault.ts";

const retryAfterMs = 250;

/** Every call may reject with a `StateError`: a disk that is full, a database that is damaged, a directory that is gone. */
export function createSubstrate(core: ScopeCore): Substrate & Inventory {
  const { database } = core;

  /** Somebody else's lock is no fault: it says "later", and who holds it. What the file system refuses is the state's fault. */
  async function available<T>(body: () => T | Promise<T>): Promise<T | Unavailable> {
    try {
      return await body();
    } catch (error) {
      if (!(error instanceof Busy)) throw isSystemFault(error) ? stateFault(error, core.stateDir) : error;
      return { kind: "unavailable", detail: database.fault(error).message, retryAfterMs };
    }
  }

  return {
    scope: core.stateDir,
    ensureScope: () => Promise.resolve({ kind: "ready" }),
    readInstances: (identity) => available(() => readIdentity(core, identity)),
    readScope: () => available(() => readAll(core)),
    readName: (name) =>
      available(async () => {
        const row = readRow(database, name);
        if (row === null) return { kind: "absent" };
        return { kind: "found", instance: (await observeRow(core, row)).observed };
      }),
    listSecrets: (identity) =>
      available(() =>
        database.read(() => ({
          kind: "read",
          secrets: readSecrets(database, selectorValue(identity)),
          serverTime: readScopeTime(database, core.here.bootId),
        })),
      ),
    secretExists: (name) => available(() => ({ kind: secretExists(database, name) ? "present" : "absent" })),
    createSecret: (spec) =>
      available(() =>
        writePatiently(
          core,
          (): SecretCreation => {
            const made = insertSecret(database, spec, {
              uid: core.random.token(32),
              selector: spec.labels[markKey(core.profile, core.profile.identityLabel)] ?? "",
              createdAt: takeScopeTime(database, core.here.bootId),
            });
            if (made === null) return { kind: "alreadyExists" };
            return { kind: "created", fence: { uid: made.uid, resourceVersion: String(made.version) } };
            // It is worth nothing before its instance, and lasts as soon as that does: both are in the same log.
          },
          "soon",
        ),
      ),
    createInstance: (spec) => available(() => createInstance(core, spec)),
    deleteInstance: (name, fence) => available(() => deleteInstance(core, name, fence)),
    deleteSecret: (name, fence) =>
      available(async () => {
        const held = (readSecretData(database, name)?.size ?? 0) > 0;
        // One that a power failure brings back is an orphan, and those are collected.
        const kind = await writePatiently(core, () => removeSecret(database, name, fence), "soon");
        // Those who lose a create remove theirs, many at once; where there are no values there is nothing to forget.
        if (kind === "accepted" && held) database.forget();
        return { kind };
      }),
    follow: (identity, from, signal) => followIdentity(core, identity, from, signal),
  };
}
