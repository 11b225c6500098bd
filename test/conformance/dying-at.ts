/** A substrate on which its caller dies, by SIGKILL: what a crash leaves behind is then exactly what the next caller finds. */
import type { Substrate } from "@moorage/core";
import type { Death } from "./bench.ts";

/** Kills this process at one of its requests. */
export function dyingAt(inner: Substrate, { request, after }: Death): Substrate {
  let requests = 0;
  const die = (): void => {
    process.kill(process.pid, "SIGKILL");
  };
  const dying = <A extends readonly unknown[], T>(
    operation: (...args: A) => Promise<T>,
  ): ((...args: A) => Promise<T>) => {
    return async (...args) => {
      const mine = requests === request;
      requests += 1;
      if (mine && !after) die();
      const answer = await operation.apply(inner, args as never);
      if (mine) die();
      return answer;
    };
  };
  return {
    scope: inner.scope,
    ensureScope: dying(inner.ensureScope),
    readInstances: dying(inner.readInstances),
    readName: dying(inner.readName),
    listSecrets: dying(inner.listSecrets),
    secretExists: dying(inner.secretExists),
    createSecret: dying(inner.createSecret),
    createInstance: dying(inner.createInstance),
    deleteInstance: dying(inner.deleteInstance),
    deleteSecret: dying(inner.deleteSecret),
    follow(identity, from, signal) {
      if (requests === request) die();
      requests += 1;
      return inner.follow(identity, from, signal);
    },
  };
}
