import { constants } from "node:os";
import type { Ending, EndingNote } from "@moorage/core";
import { describe, expect, it } from "vitest";
import { exitCodeOf, podRecord } from "./pod-record.ts";

const plain: Ending = { reason: "exited", exitCode: 0, signal: null, detail: null, at: null };

function recordOf() {
  const lines: string[] = [];
  const notes: EndingNote[] = [];
  const record = podRecord({ agent: "scribe", write: (line) => lines.push(line), leave: (note) => notes.push(note) });
  return { record, lines, notes };
}

describe("the record of an agent in a container", () => {
  it("tells a stop that waits for turns, what was lost and what was killed, and leaves it in a note", () => {
    const { record, lines, notes } = recordOf();
    record.tell({ kind: "draining", reason: "stopped", inFlight: 2, leftMs: 29_990 });
    record.tell({ kind: "killing" });
    record.tell({ kind: "lost", turns: [{ id: "t1", ageMs: 31_000 }] });
    record.ended({ ...plain, reason: "stopped", exitCode: null, signal: "SIGKILL" });
    expect(lines).toEqual([
      "scribe is asked to end; 2 turns have up to 30 s",
      "scribe is killed: something of it did not end within its grace",
      "turn t1 (31 s after it began) was lost",
      "scribe has ended: stopped on request",
    ]);
    expect(notes).toEqual([{ reason: "stopped", lostTurns: 1, killed: true, wrong: [] }]);
  });

  it("tells an idle end with nothing to wait for", () => {
    const { record, lines, notes } = recordOf();
    record.tell({ kind: "draining", reason: "idle", inFlight: 0, leftMs: 0 });
    record.ended({ ...plain, reason: "idle" });
    expect(lines).toEqual(["scribe is idle for too long", "scribe has ended: ended at its idle limit"]);
    expect(notes).toEqual([{ reason: "idle", lostTurns: 0, killed: false, wrong: [] }]);
  });
});

describe("the exit code of the container", () => {
  const codes: readonly [Partial<Ending>, number][] = [
    [{}, 0],
    [{ exitCode: 3 }, 3],
    [{ reason: "signaled", exitCode: null, signal: "SIGSEGV" }, 139],
    [{ reason: "outOfMemory", exitCode: null, signal: "SIGKILL" }, 137],
    [{ reason: "idle", exitCode: 0 }, 0],
    [{ reason: "stopped", exitCode: null, signal: "SIGTERM" }, 0],
    [{ reason: "stopped", exitCode: 5 }, 0],
    [{ reason: "stopped", exitCode: null, signal: "SIGKILL" }, 137],
    [{ reason: "notStarted", exitCode: null }, 78],
    [{ exitCode: null }, 1],
  ];
  it.each(codes)("%j is %i", (ending, code) => {
    expect(exitCodeOf({ ...plain, ...ending }, constants.signals)).toBe(code);
  });
});
