/** The substrate port over the objects in memory; how a request travels is for the caller to say. */
import type { Abort, Hint, Identity, Refused, Substrate, Unavailable, UnknownOutcome, Version } from "@moorage/core";
import { selectorValue } from "@moorage/core";
import type { MemoryStore } from "./memory-store.ts";

export type Operation =
  | "ensureScope"
  | "readInstances"
  | "readName"
  | "listSecrets"
  | "secretExists"
  | "createSecret"
  | "createInstance"
  | "deleteInstance"
  | "deleteSecret"
  | "readDocument"
  | "listDocuments"
  | "swapDocument"
  | "readChannel"
  | "publish";

/** Carries requests to the store. `effect` is what happens there, at one moment. */
export interface Delivery {
  read<T>(operation: Operation, name: string, effect: () => T): Promise<T | Refused | Unavailable>;
  write<T>(operation: Operation, name: string, effect: () => T): Promise<T | Refused | UnknownOutcome | Unavailable>;
  follow(selector: string, from: Version, signal: Abort): AsyncIterable<Hint>;
}

export function memorySubstrate(store: MemoryStore, scope: string, delivery: Delivery): Substrate {
  return {
    scope,
    async ensureScope() {
      const answer = await delivery.write("ensureScope", scope, () => {
        store.scopeExists = true;
        return { kind: "ready" } as const;
      });
      return answer.kind === "unknownOutcome"
        ? { kind: "unavailable", detail: answer.detail, retryAfterMs: null }
        : answer;
    },
    readInstances: (identity: Identity) =>
      delivery.read("readInstances", "", () => ({
        kind: "read",
        instances: store.instances(selectorValue(identity)),
        version: String(store.version),
      })),
    readName: (name) =>
      delivery.read("readName", name, () => {
        const instance = store.instance(name);
        return instance === undefined ? { kind: "absent" } : { kind: "found", instance };
      }),
    listSecrets: (identity: Identity) =>
      delivery.read("listSecrets", "", () => ({
        kind: "read",
        secrets: store.secrets(selectorValue(identity)),
        serverTime: store.tellsTime ? store.time() : null,
      })),
    secretExists: (name) =>
      delivery.read("secretExists", name, () => ({ kind: store.secret(name) === undefined ? "absent" : "present" })),
    createSecret: (spec) => delivery.write("createSecret", spec.name, () => store.createSecret(spec)),
    createInstance: (spec) =>
      delivery.write("createInstance", spec.name, () => {
        const created = store.createInstance(spec);
        return created.kind === "created" ? ({ kind: "created" } as const) : created;
      }),
    deleteInstance: (name, fence) =>
      delivery.write("deleteInstance", name, () => ({ kind: store.markInstance(name, fence) })),
    deleteSecret: (name, fence) =>
      delivery.write("deleteSecret", name, () => ({ kind: store.deleteSecret(name, fence) })),
    follow: (identity, from, signal) => delivery.follow(selectorValue(identity), from, signal),
  };
}
