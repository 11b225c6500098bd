/** A substrate that counts its requests: one an operation, whatever the answer. */
import type { Substrate } from "../ports/substrate.ts";

/** The same substrate; `count` is called before each request. */
export function counted(substrate: Substrate, count: () => void): Substrate {
  const first = <A extends readonly unknown[], R>(operation: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      count();
      return operation.apply(substrate, args as never);
    };
  };
  return {
    scope: substrate.scope,
    ensureScope: first(substrate.ensureScope),
    readInstances: first(substrate.readInstances),
    readName: first(substrate.readName),
    listSecrets: first(substrate.listSecrets),
    secretExists: first(substrate.secretExists),
    createSecret: first(substrate.createSecret),
    createInstance: first(substrate.createInstance),
    deleteInstance: first(substrate.deleteInstance),
    deleteSecret: first(substrate.deleteSecret),
    follow: first(substrate.follow),
  };
}
