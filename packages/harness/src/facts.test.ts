import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Facts } from "./facts.ts";
import { decodeFacts, openFacts, readFacts } from "./facts.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "facts-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function facts(inFlight: number, detail: string | null = null): Facts {
  return {
    attempt: "abc",
    inFlight,
    oldest: [{ id: "t1", startedAt: "2026-01-31T12:00:00.000Z" }],
    last: null,
    counts: { begun: inFlight, succeeded: 0, failed: 0, refused: 0 },
    connected: true,
    health: { kind: "healthy", detail },
    drainingSince: null,
  };
}

function written(count: number): string {
  const path = join(directory, "facts");
  const file = openFacts(path);
  for (let turn = 1; turn <= count; turn += 1) file.write(facts(turn));
  file.close();
  return path;
}

describe("the facts file", () => {
  it("tells the last that was written", () => {
    for (const count of [1, 2, 7]) expect(readFacts(written(count))).toEqual(facts(count));
  });

  it("is for its owner alone, and does not grow", () => {
    const stat = statSync(written(99));
    expect(stat.mode & 0o777).toBe(0o600);
    expect(stat.size).toBe(4_096);
  });

  it("that is not there tells nothing", () => {
    expect(readFacts(join(directory, "none"))).toBeNull();
  });

  it("torn at any byte tells the one before or the one after, never a mixture", () => {
    const before = readFileSync(written(6));
    const after = readFileSync(written(7));
    const seen = new Set<number>();
    for (let at = 0; at <= before.length; at += 1) {
      const torn = Buffer.concat([after.subarray(0, at), before.subarray(at)]);
      const read = decodeFacts(torn);
      expect([facts(6), facts(7)]).toContainEqual(read);
      seen.add(read?.inFlight ?? 0);
    }
    expect(seen).toEqual(new Set([6, 7]));
  });

  it("with garbage tells nothing", () => {
    const path = join(directory, "facts");
    for (const bytes of ["", "x".repeat(5_000), "\0".repeat(4_096)]) {
      writeFileSync(path, bytes);
      expect(readFacts(path)).toBeNull();
    }
  });

  it("leaves out the words of the health where they do not fit", () => {
    const path = join(directory, "facts");
    const file = openFacts(path);
    file.write(facts(3, "\u{1F30A}".repeat(600)));
    file.close();
    expect(readFacts(path)).toEqual(facts(3));
  });

  it("is made as soon as it can be", () => {
    const path = join(directory, "later", "facts");
    const file = openFacts(path);
    file.write(facts(1));
    expect(readFacts(path)).toBeNull();
    mkdirSync(join(directory, "later"));
    file.write(facts(2));
    file.close();
    expect(readFacts(path)).toEqual(facts(2));
  });
});
