/** Whether a declared catalog was edited since it was published: the hash of its folder alone is looked at. */
import { hashCatalog } from "@moorage/bundle";
import type { MachineScope } from "../scope/agent-scope.ts";
import { publishedOf, storeOf } from "./catalog-line.ts";

interface WithCatalog {
  readonly fleet: string;
  readonly catalog: { readonly path: string; readonly name: string } | null;
}

/** The number that was published last, where the folder holds something else by now; null: it does not, or it cannot be read. */
export function editedSince(
  { fleet, catalog }: WithCatalog,
  machine: Pick<MachineScope, "bundlesFolder">,
): number | null {
  if (catalog === null) return null;
  try {
    const published = publishedOf(storeOf(machine), { fleet, catalog: catalog.name });
    if (published === null || hashCatalog(catalog.path) === published.manifest.catalogHash) return null;
    return published.head.sequence;
  } catch {
    // Whoever publishes it is told what is wrong with it.
    return null;
  }
}
