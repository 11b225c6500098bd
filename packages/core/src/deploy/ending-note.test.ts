import { describe, expect, it } from "vitest";
import type { EndingNote } from "./ending-note.ts";
import { endingOfNote, readEndingNote, writeEndingNote } from "./ending-note.ts";

const plain: EndingNote = { reason: "exited", lostTurns: 0, killed: false, wrong: [] };

describe("the note that a harness leaves of an ending", () => {
  it("comes back as it was written", () => {
    const note: EndingNote = { reason: "idle", lostTurns: 2, killed: true, wrong: ["MOORAGE_GRACE_MS"] };
    expect(readEndingNote(writeEndingNote(note))).toEqual(note);
  });

  const words: readonly [Partial<EndingNote>, string | null][] = [
    [{}, null],
    [{ reason: "stopped", lostTurns: 1 }, "a turn was lost"],
    [{ lostTurns: 3, killed: true }, "3 turns were lost; what was still there when its grace was over was killed"],
    [{ reason: "notStarted" }, "its log says why"],
    [
      { reason: "notStarted", wrong: ["MOORAGE_COMMAND", "MOORAGE_HEALTH"] },
      "its harness cannot go by MOORAGE_COMMAND, MOORAGE_HEALTH; its log says why",
    ],
  ];
  it.each(words)("%j reads %j", (change, detail) => {
    expect(endingOfNote({ ...plain, ...change })).toEqual({ reason: change.reason ?? "exited", detail });
  });

  const refused: readonly [string, unknown][] = [
    ["another kind", { kind: "other/v1", ...plain }],
    ["a reason that a harness cannot know", { kind: "moorage/ending/v1", ...plain, reason: "evicted" }],
    ["a reason that nobody knows", { kind: "moorage/ending/v1", ...plain, reason: "a secret" }],
    ["a number that is none", { kind: "moorage/ending/v1", ...plain, lostTurns: "3" }],
    ["a negative number", { kind: "moorage/ending/v1", ...plain, lostTurns: -1 }],
    ["free words in place of a variable", { kind: "moorage/ending/v1", ...plain, wrong: ["MOORAGE_X is my secret"] }],
    ["no list", { kind: "moorage/ending/v1", ...plain, wrong: "MOORAGE_X" }],
    ["half a note", { kind: "moorage/ending/v1", reason: "idle" }],
    ["null", null],
  ];
  it.each(refused)("takes nothing from %s", (_, value) => {
    expect(readEndingNote(JSON.stringify(value))).toBeNull();
  });

  it.each([null, "", "{", "idle", "[]"])("takes nothing from %j", (text) => {
    expect(readEndingNote(text)).toBeNull();
  });
});
