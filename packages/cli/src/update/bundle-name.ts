/** How a bundle is called in front of people: its sequence, and the first digits of its content. */

const digitsShown = 8;

/** The first digits of a catalog hash, a digest or a build id. */
export function shortHash(text: string): string {
  return text.slice(text.lastIndexOf(":") + 1, text.lastIndexOf(":") + 1 + digitsShown);
}

/** "12 (9ab1c3d4)". */
export function bundleName({
  sequence,
  catalogHash,
}: {
  readonly sequence: number;
  readonly catalogHash: string;
}): string {
  return `${sequence} (${shortHash(catalogHash)})`;
}
