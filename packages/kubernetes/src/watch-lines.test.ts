import fc from "fast-check";
import { expect, test } from "vitest";
import type { LineRest } from "./watch-lines.ts";
import { noRest, splitLines } from "./watch-lines.ts";

function splitAt(bytes: Uint8Array, borders: readonly number[]): string[] {
  const ends = [...new Set(borders.map((border) => border % (bytes.length + 1)))].sort((a, b) => a - b);
  const lines: string[] = [];
  let rest: LineRest = noRest;
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    const split = splitLines(rest, bytes.subarray(from, end));
    if (split.kind === "tooLong") throw new Error("too long");
    lines.push(...split.lines);
    rest = split.rest;
    from = end;
  }
  return lines;
}

test("wherever the borders fall, inside a character too, the lines are the same", () => {
  const text = fc.stringMatching(/^[a-zäß漢😀]{1,8}$/u);
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 12 }), (lines, borders) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      expect(splitAt(bytes, borders)).toEqual(lines);
    }),
  );
});

test("half a line at the end is no line", () => {
  expect(splitLines(noRest, Buffer.from('{"a":1}\r\n\n{"b"'))).toMatchObject({
    lines: ['{"a":1}'],
    rest: { size: 4 },
  });
});

test("a very long line arrives whole, and one that never ends is told", () => {
  const long = "x".repeat(3 << 20);
  const pieces = Buffer.from(`${long}\n`);
  const borders = Array.from({ length: 200 }, (_, index) => index * 16_000);
  expect(splitAt(pieces, borders)).toEqual([long]);
  expect(splitLines({ pieces: [], size: 90 }, Buffer.from("x".repeat(11)), 100)).toEqual({ kind: "tooLong" });
});
