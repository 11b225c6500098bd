/** The hash of a catalog: `v1:sha256:` over RFC 8785 canonical JSON of `[{path, size, sha256}]`, sorted by UTF-16 code unit. */
import { catalogHashScheme } from "@moorage/core";
import { sha256 } from "@moorage/keys";

/** One file, as the hash knows it. */
export interface HashedFile {
  /** POSIX, NFC, relative. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
}

/** Of normalised paths; in whatever order they come. */
export function catalogHashOf(files: readonly HashedFile[]): string {
  // With its keys in this order, what Node writes is the canonical form of whatever has one.
  const list = files.map(({ path, size, sha256: digest }) => ({ path, sha256: digest, size })).sort(byPath);
  const whole = list.every(({ path }) => path.isWellFormed());
  return `${catalogHashScheme}:${whole ? sha256.text(JSON.stringify(list)) : sha256.canonical(list)}`;
}

/** By UTF-16 code unit: the one order that no locale changes. */
export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}
