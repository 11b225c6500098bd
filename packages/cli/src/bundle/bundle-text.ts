/** Bundles for people: what one is, and what it holds. */
import type { Catalog, Component, Manifest } from "@moorage/bundle";
import { axes } from "@moorage/core";
import { aligned } from "../text/aligned.ts";
import { channelText } from "../update/catalog-line.ts";

/** Names of files as a terminal may show them: nothing turns the direction of text. */
function safe(text: string): string {
  return text.replace(/[\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}

export function countOf(many: number, one: string): string {
  return many === 1 ? `1 ${one}` : `${many} ${one}s`;
}

export function bytesOf(components: readonly Component[]): number {
  return components.reduce((sum, { size }) => sum + size, 0);
}

/** One line each; `at start` stands where a change waits for it. */
export function fileLines(components: readonly Component[]): string[] {
  return aligned(
    components.map(({ path, kind, effect, size }) => [
      `  ${safe(path)}`,
      kind,
      String(size),
      ...(effect === "start" ? ["at start"] : []),
    ]),
  );
}

/** What an ignore file left out, and which globs match nothing. */
export function leftOutLines({ ignored, unmatched }: Pick<Catalog, "ignored" | "unmatched">): string[] {
  return [
    // The ignore file itself is of no interest.
    ...ignored
      .filter(({ path, rule }) => path !== rule)
      .map(({ path, rule }) => `  left out: ${safe(path)} (${safe(rule)})`),
    ...unmatched.map(({ file, glob }) => `  ${file}: ${safe(glob)} matches nothing`),
  ];
}

export function manifestLines(manifest: Manifest, digest: string): string[] {
  const { channel, sequence, parent, target, catalogHash, created, expires, rootVersion, components } = manifest;
  return [
    ...aligned([
      ["channel", `${channelText(channel)}, number ${sequence}`],
      ["digest", digest],
      ["parent", parent ?? "none: it is the first"],
      ["content", catalogHash],
      ["for", axes.map((axis) => `${axis} ${target[axis]}`).join(", ")],
      ["made", `${created}, for version ${rootVersion} of the trust root`],
      ["expires", expires ?? "never"],
      ["holds", `${countOf(components.length, "file")}, ${countOf(bytesOf(components), "byte")}`],
    ]),
    ...fileLines(components),
  ];
}
