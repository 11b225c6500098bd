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
  const list = files.map(({ path, size, sha256: digest }) => ({ path, size, sha256: digest })).sort(byPath);
  return `${catalogHashScheme}:${sha256.canonical(list)}`;
}

/** By UTF-16 code unit: the one order that no locale changes. */
export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}
