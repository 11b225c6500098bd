import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LogPiece, NodeWords } from "./pod-log-lines.ts";
import { LogLines, parseStamp } from "./pod-log-lines.ts";

const at = "2030-01-01T00:00:00.123456789Z";

function read(chunks: readonly Uint8Array[], longest?: number): (LogPiece | NodeWords)[] {
  const lines = new LogLines(longest);
  return [...chunks.flatMap((chunk) => [...lines.take(chunk)]), ...lines.rest()];
}

const told = (items: readonly (LogPiece | NodeWords)[]) =>
  items.map((item) =>
    item.kind === "node" ? `node: ${item.text}` : `${item.offset} ${item.bytes.toString("latin1")} ${item.ends}`,
  );

describe("lines of a log", () => {
  test("carry their time, which is no part of them", () => {
    const [piece] = read([Buffer.from(`${at} hello there\n`)]);
    expect(piece).toMatchObject({
      stamp: { text: at, time: Date.UTC(2030, 0, 1, 0, 0, 0, 123), rest: 456_789 },
      ends: true,
    });
    expect(told([piece as LogPiece])).toEqual(["0 hello there true"]);
  });

  test("are the same wherever the chunks are cut, whatever is in them", () => {
    const line = fc.uint8Array({ maxLength: 40 }).map((bytes) => bytes.filter((byte) => byte !== 0x0a));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.array(fc.nat(400), { maxLength: 8 }), (lines, cuts) => {
        const whole = Buffer.concat(lines.flatMap((bytes) => [Buffer.from(`${at} `), bytes, Buffer.from("\n")]));
        const borders = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length];
        const chunks = borders.slice(1).map((end, index) => whole.subarray(borders[index], end));
        const got = read(chunks).map((item) =>
          item.kind === "piece" && item.ends ? Buffer.from(item.bytes).toString("hex") : "?",
        );
        expect(got).toEqual(lines.map((bytes) => Buffer.from(bytes).toString("hex")));
      }),
    );
  });

  test("that are too long to be held come in pieces, each with its place", () => {
    const pieces = read([Buffer.from(`${at} 0123456789`), Buffer.from("abcdefghij"), Buffer.from("xyz\n")], 10);
    expect(told(pieces)).toEqual(["0 0123456789 false", "10 abcdefghij false", "20 xyz true"]);
  });

  test("that are empty are lines", () => {
    expect(told(read([Buffer.from(`${at} \n${at} \n`)]))).toEqual(["0  true", "0  true"]);
  });

  test("without an end are told as that", () => {
    expect(told(read([Buffer.from(`${at} a\n${at} half`)]))).toEqual(["0 a true", "0 half false"]);
  });

  test("without a time are the node's words, and not the agent's", () => {
    const words = "failed to create fsnotify watcher: too many open files";
    expect(told(read([Buffer.from(`${at} a\n${words}`)]))).toEqual(["0 a true", `node: ${words}`]);
    expect(told(read([Buffer.from(`2030-01-01 no time\n`)]))).toEqual(["node: 2030-01-01 no time"]);
  });
});

test.each([
  ["2030-01-01T00:00:00Z", 0, 0],
  ["2030-01-01T00:00:00.5Z", 500, 0],
  ["2030-01-01T02:00:00.000000001+02:00", 0, 1],
])("the time %s", (text, ms, rest) => {
  expect(parseStamp(text)).toEqual({ text, time: Date.UTC(2030, 0, 1) + ms, rest });
});

test.each(["", "2030-01-01", "2030-13-01T00:00:00Z", "hello"])("%j is no time", (text) => {
  expect(parseStamp(text)).toBeNull();
});
