// A fleet as it is in the middle of updates: most builds are alike, some have another catalog, few another format.
import type { Fingerprint } from "@moorage/core";

/** Each with texts of its own, as they come out of JSON: nothing is equal by being the same object. */
export function someFleet(count: number): Fingerprint[] {
  return Array.from({ length: count }, (_, at) => JSON.parse(JSON.stringify(fingerprint(at))) as Fingerprint);
}

function fingerprint(at: number): Fingerprint {
  return {
    wireVersion: at % 20 === 7 ? 2 : 1,
    eventLogSchema: at % 20 === 13 ? 2 : 1,
    crdApiVersion: at % 20 === 17 ? "moorage.dev/v1beta1" : "moorage.dev/v1alpha1",
    toolCatalogHash: `v1:sha256:${(at % 3 === 2 ? String(at % 10) : "a").repeat(64)}`,
  };
}
