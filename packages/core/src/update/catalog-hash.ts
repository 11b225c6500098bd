/** The form of a catalog hash, `v1:sha256:<hex>`, and how two of them compare: only within one algorithm. */
import { FingerprintError } from "./fingerprint-error.ts";

/** Of what this version makes: SHA-256 over RFC 8785 canonical JSON of `[{path, size, sha256}]` by UTF-16 code unit. */
export const catalogHashScheme = "v1:sha256";

const prefix = `${catalogHashScheme}:`;
/** Each digit by itself: three times as fast as a count of them, and a fleet is classified in one pass. */
const ours = new RegExp(`^${prefix}${"[0-9a-f]".repeat(64)}$`);
/** Another version or algorithm, with at least 128 bits. */
const otherScheme = /^v[1-9][0-9]{0,3}:[a-z][a-z0-9-]{0,31}:[0-9a-f]{32,128}$/;

/** How two hashes stand to each other. `notComparable`: the content has to be hashed again. */
export type CatalogComparison = "same" | "different" | "notComparable";

/** Both have been checked. */
export function compareCatalogHashes(one: string, other: string): CatalogComparison {
  if (one === other) return "same";
  if (one.startsWith(prefix) && other.startsWith(prefix)) return "different";
  return schemeOf(one) === schemeOf(other) ? "different" : "notComparable";
}

/** Both have been checked. Throws a `FingerprintError` where they cannot be compared. */
export function isSameCatalog(one: string, other: string): boolean {
  const catalogs = compareCatalogHashes(one, other);
  if (catalogs === "notComparable") throw FingerprintError.hashesNotComparable(schemeOf(one), schemeOf(other));
  return catalogs === "same";
}

/** The algorithm id in front of the digits, as in `v1:sha256`; empty where a name has none. The hash has been checked. */
function schemeOf(hash: string): string {
  return hash.slice(0, Math.max(0, hash.lastIndexOf(":")));
}

/** Throws a `FingerprintError` unless the value is a well-formed catalog hash: what is read from outside has to be one. */
export function checkCatalogHash(value: unknown): asserts value is string {
  if (typeof value === "string" && (ours.test(value) || isOther(value))) return;
  throw FingerprintError.ofAxis("toolCatalogHash", value, wanted);
}

/**
 * Throws a `FingerprintError` unless the value can name a catalog. A decision compares for identity alone, and another
 * implementation may name its catalogs otherwise; what begins as a hash of ours does has to be one.
 */
export function checkCatalogName(value: unknown): asserts value is string {
  if (typeof value === "string" && (ours.test(value) || isOther(value) || isForeign(value))) return;
  throw FingerprintError.ofAxis("toolCatalogHash", value, wanted);
}

const wanted = "a catalog hash, v1:sha256: and 64 hex digits";
/** Visible characters, and no version in front. */
const foreign = /^(?!v[0-9]+:)[!-~]{1,512}$/;

function isForeign(text: string): boolean {
  return foreign.test(text);
}

function isOther(text: string): boolean {
  return !text.startsWith(prefix) && otherScheme.test(text);
}
