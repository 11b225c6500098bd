import { describe, expect, it } from "vitest";
import { firstGate, passGate, shiftGate, stillPasses } from "./gate.ts";
import { oldTarget, wireTarget } from "./moves.fixture.ts";

const gate = firstGate(oldTarget);
const move = { id: "m1", from: oldTarget, to: wireTarget };
const closed = { epoch: 2, open: null, mover: "m1" };

describe("a start", () => {
  it("passes with the formats of its fleet, and with the same epoch later", () => {
    expect(passGate(gate, { ...oldTarget })).toEqual({ kind: "pass", epoch: 1 });
    expect(stillPasses(1, gate)).toBe(true);
  });

  it("does not pass a closed gate, nor with other formats", () => {
    expect(passGate(closed, oldTarget)).toEqual({ kind: "closed", mover: "m1" });
    expect(passGate(gate, wireTarget)).toEqual({ kind: "otherFormats", axis: "wireVersion", fleet: 3, build: 4 });
  });

  it("does not create once the gate was shifted, even if it is open again", () => {
    expect(stillPasses(1, closed)).toBe(false);
    expect(stillPasses(2, closed)).toBe(false);
    expect(stillPasses(1, { epoch: 3, open: oldTarget, mover: "m1" })).toBe(false);
  });
});

describe("a shift", () => {
  it("closes and opens, with a higher epoch each time", () => {
    expect(shiftGate(gate, { kind: "close", epoch: 1 }, move)).toEqual({
      kind: "shifted",
      gate: closed,
      event: { kind: "closed", epoch: 2 },
    });
    expect(shiftGate(closed, { kind: "open", epoch: 2, side: "new" }, move)).toEqual({
      kind: "shifted",
      gate: { epoch: 3, open: wireTarget, mover: "m1" },
      event: { kind: "opened", epoch: 3, side: "new" },
    });
    expect(shiftGate(closed, { kind: "open", epoch: 2, side: "old" }, move)).toMatchObject({
      gate: { open: oldTarget },
    });
  });

  it("is compared: somebody else's epoch is not touched", () => {
    for (const other of [
      { ...gate, epoch: 2 },
      { ...closed, mover: "m2" },
    ])
      expect(shiftGate(other, { kind: "close", epoch: 1 }, move)).toEqual({
        kind: "lost",
        event: { kind: "epochLost", epoch: 2 },
      });
  });

  it("may be done again in the same move's name, whose answer was lost", () => {
    expect(shiftGate(closed, { kind: "close", epoch: 1 }, move)).toMatchObject({
      kind: "shifted",
      gate: { epoch: 3, open: null },
    });
  });
});
