/** Fingerprints and catalog hashes for tests. */
import type { Fingerprint } from "./fingerprint.ts";

/** A well-formed catalog hash: the digit or pair of digits, repeated. */
export function hashOf(digits: string): string {
  return `v1:sha256:${digits.repeat(64).slice(0, 64)}`;
}

export function build(changes: Partial<Fingerprint> = {}): Fingerprint {
  return {
    wireVersion: 3,
    eventLogSchema: 7,
    crdApiVersion: "moorage.dev/v1",
    toolCatalogHash: hashOf("a"),
    ...changes,
  };
}
