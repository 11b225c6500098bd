/** What may a release do? Build against build: pure, total over well-formed fingerprints, and it never refuses. */
import { isSameCatalog } from "./catalog-hash.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { checkFingerprint, firstDifference } from "./fingerprint.ts";

/** Cold: the whole fleet moves. Hot: a catalog is delivered. Warm: the next start has it. */
export type UpdateTier = "cold" | "hot" | "warm";

/**
 * The three rules, in their order: a format axis differs; the catalog differs; neither. Throws a `FingerprintError` for
 * what is malformed, and where all formats are equal and the catalogs were hashed by different algorithms.
 */
export function classifyUpdate(running: Fingerprint, available: Fingerprint): UpdateTier {
  checkFingerprint(running);
  checkFingerprint(available, running);
  if (firstDifference(running, available) !== null) return "cold";
  if (!isSameCatalog(running.toolCatalogHash, available.toolCatalogHash)) return "hot";
  return "warm";
}
