/** Bytes of a watch to lines: a border between two pieces may fall anywhere, also inside a character or a very long line. */

/** Bytes. The largest object that etcd takes is 1.5 MiB; a line beyond this is no event. */
const longestLine: number = 32 << 20;

/** What has come of a line that is not over yet. Each piece is kept as it is, so that a long line costs no more than its length. */
export interface LineRest {
  readonly pieces: readonly Uint8Array[];
  readonly size: number;
}

export const noRest: LineRest = { pieces: [], size: 0 };

export type Lines =
  | { readonly kind: "lines"; readonly lines: readonly string[]; readonly rest: LineRest }
  /** The line is longer than anything that may come. */
  | { readonly kind: "tooLong" };

/** The lines that a piece completes, without empty ones, and what is left for the next. */
export function splitLines(rest: LineRest, piece: Uint8Array, longest: number = longestLine): Lines {
  const lines: string[] = [];
  let open = rest;
  let from = 0;
  for (;;) {
    const end = piece.indexOf(0x0a, from);
    const part = piece.subarray(from, end === -1 ? piece.length : end);
    const size = open.size + part.length;
    if (size > longest) return { kind: "tooLong" };
    if (end === -1) {
      return { kind: "lines", lines, rest: part.length === 0 ? open : { pieces: [...open.pieces, part], size } };
    }
    const line = Buffer.concat([...open.pieces, part], size)
      .toString("utf8")
      .trim();
    if (line !== "") lines.push(line);
    open = noRest;
    from = end + 1;
  }
}
