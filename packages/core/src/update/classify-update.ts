/** What may a release do? Build against build: pure, total over well-formed fingerprints, and it never refuses. */
import { compareCatalogHashes, schemeOf } from "./catalog-hash.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { checkFingerprint, firstDifference } from "./fingerprint.ts";
import { FingerprintError } from "./fingerprint-error.ts";

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
  const catalogs = compareCatalogHashes(running.toolCatalogHash, available.toolCatalogHash);
  switch (catalogs) {
    case "different":
      return "hot";
    case "same":
      return "warm";
    case "notComparable":
      throw FingerprintError.hashesNotComparable(
        schemeOf(running.toolCatalogHash),
        schemeOf(available.toolCatalogHash),
      );
    default:
      return catalogs satisfies never;
  }
}
