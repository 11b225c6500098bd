import type { LogWriter } from "@moorage/harness";
import { expect, it } from "vitest";
import { tailLog } from "./tail-log.ts";

function memoryLog(): { readonly log: LogWriter; readonly written: () => string } {
  const all: Buffer[] = [];
  return {
    log: { write: (_stream, bytes) => void all.push(Buffer.from(bytes)), lostBytes: 7, close: () => undefined },
    written: () => Buffer.concat(all).toString(),
  };
}

it("writes everything and remembers what is little, both streams in their order", () => {
  const { log, written } = memoryLog();
  const tailed = tailLog(log);
  tailed.write("stdout", Buffer.from("one\nhalf "));
  tailed.write("stderr", Buffer.from("of two\n"));
  expect(tailed.tail()).toBe("one\nhalf of two\n");
  expect(written()).toBe("one\nhalf of two\n");
  expect(tailed.lostBytes).toBe(7);
});

it("tells nothing of a line whose begin it has forgotten", () => {
  const tailed = tailLog(memoryLog().log);
  tailed.write("stdout", Buffer.from("x".repeat(20_000)));
  expect(tailed.tail()).toBe("");
  tailed.write("stdout", Buffer.from("\nwhole"));
  expect(tailed.tail()).toBe("whole");
});

it.each([1, 100, 5_000, 100_000])("of much, in pieces of %i bytes, it remembers the last whole lines", (size) => {
  const { log, written } = memoryLog();
  const tailed = tailLog(log);
  const text = Array.from({ length: 3_000 }, (_each, at) => `line number ${at}\n`).join("");
  for (let from = 0; from < text.length; from += size)
    tailed.write("stdout", Buffer.from(text.slice(from, from + size)));
  expect(written()).toBe(text);
  const told = tailed.tail();
  expect(told.length).toBeGreaterThan(15_000);
  expect(told.length).toBeLessThanOrEqual(16_384);
  expect(text.endsWith(told)).toBe(true);
  expect(told).toMatch(/^line number/);
});
