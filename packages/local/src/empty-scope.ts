/** The scope of a state directory that is not there, for who only looks: nothing is in it, and nothing is made. */
import type { Refused } from "@moorage/core";
import { bundlesFolder, deliveryFolder, trustFolder } from "./instance-folder.ts";
import { openJournal } from "./journal.ts";
import type { Scope, ScopeOptions } from "./scope.ts";
import { openedForReading } from "./state-error.ts";

export function emptyScope({ stateDir, clock }: ScopeOptions): Scope {
  const nothing = { kind: "read", instances: [], version: "0" } as const;
  const refused: Refused = {
    kind: "refused",
    refusal: { kind: "unknown", detail: `the state in ${stateDir} was opened for reading` },
  };
  const cannotWrite = (): Promise<never> => Promise.reject(openedForReading(stateDir));
  return {
    stateDir,
    mode: "read",
    substrate: {
      scope: stateDir,
      ensureScope: async () => refused,
      readInstances: async () => nothing,
      readName: async () => ({ kind: "absent" }),
      listSecrets: async () => ({ kind: "read", secrets: [], serverTime: null }),
      secretExists: async () => ({ kind: "absent" }),
      createSecret: async () => refused,
      createInstance: async () => refused,
      deleteInstance: async () => ({ kind: "notFound" }),
      deleteSecret: async () => ({ kind: "notFound" }),
      async *follow(_identity, _from, signal) {
        await clock.sleep(30_000, signal);
        yield { kind: "over", detail: "there is nothing to follow yet", retryAfterMs: null };
      },
    },
    inventory: { readScope: async () => nothing },
    journal: openJournal(stateDir, { clock, writable: false }),
    documents: { read: async () => null, list: async () => [], swap: cannotWrite },
    bundlesFolder: bundlesFolder(stateDir),
    trustFolder: trustFolder(stateDir),
    deliveryFolder: (name) => deliveryFolder(stateDir, name),
    delivery: async () => null,
    offer: cannotWrite,
    retry: cannotWrite,
    pokeAll: () => undefined,
    facts: async () => [],
    setStopGrace: async () => "notFound",
    purge: async () => "nothing",
    revives: async () => [],
    recordRevive: async () => undefined,
    changed: (ms, signal) => clock.sleep(ms, signal),
    settled: async () => undefined,
    close: () => undefined,
  };
}
