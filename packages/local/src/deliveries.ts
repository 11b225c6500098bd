/** What others see of agents' lives with bundles, and what they say into them; loaded only for those who ask. */
import { statSync } from "node:fs";
import type { Life } from "@moorage/core";
import type * as Files from "@moorage/harness/delivery";
import type { Database } from "./database.ts";
import type { DeliveryFacts } from "./delivery-facts.ts";
import { deliveryFacts } from "./delivery-facts.ts";
import { deliveryFolder } from "./instance-folder.ts";
import { readRow } from "./instance-row.ts";
import { poke } from "./poke.ts";
import { stateFault } from "./sqlite-fault.ts";
import { openedForReading } from "./state-error.ts";

/** By the names of instances, which need not exist any more: what they lived through stays until a purge. All may reject with a `StateError`. */
export interface Deliveries {
  deliveryFolder(name: string): string;
  /** As on record; null: there is none, or none that can be read. */
  delivery(name: string): Promise<Life | null>;
  /** A bundle for this agent alone. Its supervisor is poked, if there is one. */
  offer(name: string, offer: Files.OwnOffer): Promise<void>;
  /** A person's word that what failed here, by its digest, is tried again. Its supervisor is poked, if there is one. */
  retry(name: string, digest: string): Promise<void>;
  /** Wakes the supervisors of these instances: they look for what is new at once, and not at their next look. */
  pokeAll(names: readonly string[]): void;
}

export function openDeliveries(database: Database, mode: "read" | "write"): Deliveries {
  const { stateDir } = database;
  const folderOf = (name: string): string => deliveryFolder(stateDir, name);

  function pokeAll(names: readonly string[]): void {
    for (const name of names) {
      const claim = readRow(database, name)?.claim ?? null;
      if (claim !== null) poke(claim.socket);
    }
  }

  async function say(name: string, how: (files: typeof Files) => void): Promise<void> {
    if (mode === "read") throw openedForReading(stateDir);
    const files = await import("@moorage/harness/delivery");
    try {
      how(files);
    } catch (error) {
      throw stateFault(error, stateDir);
    }
    pokeAll([name]);
  }

  return {
    deliveryFolder: folderOf,
    delivery: (name) => readLifeIn(folderOf(name), stateDir),
    offer: (name, offer) => say(name, ({ writeOffer }) => writeOffer(folderOf(name), offer)),
    retry: (name, digest) => say(name, ({ askRetry }) => askRetry(folderOf(name), digest)),
    pokeAll,
  };
}

async function readLifeIn(folder: string, stateDir: string): Promise<Life | null> {
  const { readDelivery } = await import("@moorage/harness/delivery");
  try {
    return readDelivery(folder);
  } catch (error) {
    throw stateFault(error, stateDir);
  }
}

/** For people; null where nothing can be told. One agent's trouble is no reason to show nothing of the others. */
export async function readDeliveryFacts(folder: string, at: number): Promise<DeliveryFacts | null> {
  const { deliveryPaths, readDelivery } = await import("@moorage/harness/delivery");
  try {
    const life = readDelivery(folder);
    return life === null ? null : deliveryFacts(life, statSync(deliveryPaths(folder).life).mtimeMs, at);
  } catch {
    return null;
  }
}
