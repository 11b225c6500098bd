/** Opens the journal of an agent's life with bundles; where it cannot be read, it is kept aside and another life begins. */
import fs from "node:fs";
import { guarded } from "@moorage/bundle/delivery";
import { type Channel, type Life, type LifeRun, newLife } from "@moorage/core";
import type { DeliverySpec } from "./courier.ts";
import { deliveryPaths } from "./delivery-files.ts";
import { LifeFile, type LifeRecord, readLifeFile } from "./life-file.ts";
import type { KeeperPorts } from "./life-keeper.ts";

export interface OpenedLife {
  readonly file: LifeFile;
  readonly record: LifeRecord;
}

/**
 * A life that begins anew knows the floor that was stamped into its instance, and starts from what its channel has confirmed.
 * Throws a `StoreError`.
 */
export function openLife(
  spec: Pick<DeliverySpec, "folder" | "channel" | "floor">,
  run: LifeRun,
  ports: KeeperPorts,
): OpenedLife {
  const path = deliveryPaths(spec.folder).life;
  const reading = readLifeFile(path);
  if (reading.kind === "life" && sameChannel(reading.record.life, spec.channel))
    return { file: LifeFile.open(path, ports.slots), record: reading.record };
  if (reading.kind !== "none") {
    const why =
      reading.kind === "life"
        ? `it was about the channel ${nameOf(reading.record.life.channel)}, which is not this agent's any more`
        : reading.detail;
    const aside = `${path}.${ports.random.token(8)}.aside`;
    guarded("keep an unreadable life aside", () => fs.renameSync(path, aside));
    ports.tell({
      kind: "trouble",
      detail: `what happened to its bundles cannot be gone on with: ${why}. It is kept as ${aside}, and begins anew from what is confirmed`,
    });
  }
  const record: LifeRecord = { life: newLife(spec.channel, run, spec.floor), notices: [] };
  return { file: LifeFile.make(path, record, ports.disk, ports.slots), record };
}

function sameChannel({ channel }: Life, { fleet, catalog }: Channel): boolean {
  return channel.fleet === fleet && channel.catalog === catalog;
}

function nameOf({ fleet, catalog }: Channel): string {
  return `${fleet}/${catalog}`;
}
