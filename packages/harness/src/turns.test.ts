import { describe, expect, it } from "vitest";
import { Turns, turnsAtMost } from "./turns.ts";

const at = "2026-01-31T12:00:00.000Z";

describe("turns", () => {
  it("overlap, and end in any order", () => {
    const turns = new Turns(0);
    const [first, second] = [turns.begin(0, at), turns.begin(1, at)];
    expect([first, second]).toMatchObject([{ turn: { id: "t1" } }, { turn: { id: "t2" } }]);
    expect(turns.end("t2", "failed", 2, at)?.id).toBe("t2");
    expect(turns.find("t1")?.id).toBe("t1");
    expect(turns.find("t2")).toBe(null);
    expect(turns.inFlight).toBe(1);
    expect(turns.counts).toEqual({ begun: 2, succeeded: 0, failed: 1, refused: 0 });
    expect(turns.last).toEqual({ id: "t2", outcome: "failed", endedAt: at });
  });

  it("end once", () => {
    const turns = new Turns(0);
    turns.begin(0, at);
    expect(turns.end("t1", "succeeded", 1, at)?.id).toBe("t1");
    expect(turns.end("t1", "succeeded", 1, at)).toBe(null);
  });

  it("are refused while draining, and those in flight may end", () => {
    const turns = new Turns(0);
    turns.begin(0, at);
    turns.drain();
    expect(turns.begin(1, at)).toEqual({ kind: "draining" });
    expect(turns.end("t1", "succeeded", 2, at)?.id).toBe("t1");
    expect(turns.counts.refused).toBe(1);
  });

  it("keep the catalog that they began with, which is asked for once it is certain that they begin", () => {
    const turns = new Turns(0);
    const copies = ["/a", "/b", "/never"].map((directory) => ({ directory, hash: directory }));
    const catalog = (): (typeof copies)[number] | null => copies.shift() ?? null;
    turns.begin(0, at, catalog);
    turns.begin(0, at, catalog);
    turns.drain();
    turns.begin(0, at, catalog);
    expect(turns.find("t1")?.catalog).toEqual({ directory: "/a", hash: "/a" });
    expect([...turns.catalogs()]).toEqual(["/a", "/b"]);
    expect(copies).toHaveLength(1);
  });

  it("that are never closed are bounded", () => {
    const turns = new Turns(0);
    const kinds = Array.from({ length: 10_000 }, () => turns.begin(0, at).kind);
    expect(kinds.filter((kind) => kind === "begun")).toHaveLength(turnsAtMost);
    expect(turns.begin(0, at)).toEqual({ kind: "tooMany", limit: turnsAtMost });
    turns.end("t1", "succeeded", 1, at);
    expect(turns.begin(1, at).kind).toBe("begun");
  });

  it("count quiet time from the start, without anybody ever connecting", () => {
    const turns = new Turns(1_000);
    expect(turns.quietMs(5_000)).toBe(4_000);
  });

  it("count quiet time from the last end, and none while one is in flight", () => {
    const turns = new Turns(0);
    turns.begin(10, at);
    expect(turns.quietMs(99_000)).toBe(0);
    turns.end("t1", "succeeded", 100_000, at);
    expect(turns.quietMs(100_500)).toBe(500);
  });

  it("tell what an end would lose, oldest first", () => {
    const turns = new Turns(0);
    turns.begin(0, at);
    turns.begin(70, at);
    expect(turns.lostAt(100)).toEqual([
      { id: "t1", ageMs: 100 },
      { id: "t2", ageMs: 30 },
    ]);
  });
});
