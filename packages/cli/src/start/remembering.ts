/** A substrate that remembers the last read, so that what it told can be looked at without asking again. */
import type { ObservedInstance, Substrate } from "@moorage/core";

export interface Remembering {
  readonly substrate: Substrate;
  /** The instance with this name in the last read. */
  seen(name: string): ObservedInstance | undefined;
}

export function remembering(substrate: Substrate): Remembering {
  let last: readonly ObservedInstance[] = [];
  return {
    seen: (name) => last.find((instance) => instance.name === name),
    substrate: {
      scope: substrate.scope,
      ensureScope: () => substrate.ensureScope(),
      readInstances: async (identity) => {
        const reading = await substrate.readInstances(identity);
        if (reading.kind === "read") last = reading.instances;
        return reading;
      },
      readName: (name) => substrate.readName(name),
      listSecrets: (identity) => substrate.listSecrets(identity),
      secretExists: (name) => substrate.secretExists(name),
      createSecret: (spec) => substrate.createSecret(spec),
      createInstance: (spec) => substrate.createInstance(spec),
      deleteInstance: (name, fence) => substrate.deleteInstance(name, fence),
      deleteSecret: (name, fence) => substrate.deleteSecret(name, fence),
      follow: (identity, from, signal) => substrate.follow(identity, from, signal),
    },
  };
}
