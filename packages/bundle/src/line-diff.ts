/** Two texts by line: which lines went, which came, and where. */

/** Lines that changed at one place; line numbers from 1. */
export interface Hunk {
  readonly kind: "lines";
  /** Where the removed lines stood, or before which line the added ones came. */
  readonly before: number;
  readonly after: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Cells of the table of common lines; beyond, what differs is told as one hunk. */
const mostCells = 4_000_000;

/** Empty for equal texts. A last line without an end counts as another one than with it. */
export function lineDiff(before: string, after: string): Hunk[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const [a, b] = [old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)];
  return hunksOf(a, b, head + 1);
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  // A text that ends as texts do has nothing after its last line feed.
  if (lines.at(-1) === "") lines.pop();
  else lines[lines.length - 1] += " \\ no line feed at the end";
  return lines;
}

function hunksOf(a: readonly string[], b: readonly string[], first: number): Hunk[] {
  const hunks: Hunk[] = [];
  let [i, j] = [0, 0];
  for (const [x, y] of [...commonLines(a, b), [a.length, b.length] as const]) {
    if (i < x || j < y)
      hunks.push({ kind: "lines", before: first + i, after: first + j, removed: a.slice(i, x), added: b.slice(j, y) });
    [i, j] = [x + 1, y + 1];
  }
  return hunks;
}

/** The pairs of a longest common sequence, in order. */
function commonLines(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  const width = b.length + 1;
  if (a.length * width > mostCells) return [];
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; )
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  return pairs;
}
