import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlainDataError } from "../plain-data.ts";
import { type Decision, decide, snooze, standingChoice } from "./decide.ts";
import { type Notice, type NoticeDraft, newNotice, raise, waiting, withdraw } from "./notice.ts";
import { readNotice, writeNotice } from "./read-notice.ts";

const move: NoticeDraft = {
  about: "coldMove",
  subject: { kind: "fleet", name: "writers" },
  reason: "the wire version moves from 3 to 4: 2 agents stop",
  evidence: { move: "m1", members: "scribe, editor" },
  choices: ["approve", "reject"],
};
const larger: NoticeDraft = { ...move, evidence: { move: "m1", members: "scribe, editor, critic" } };
const open = newNotice(move, "n1", 100);
const approve: Decision = { choice: "approve", by: "ada", at: 200, revision: 1 };

function decided(notice: Notice = open, decision: Decision = approve): Notice {
  const result = decide(notice, decision, move, "n9");
  if (result.kind !== "decided") throw new Error(`it is ${result.kind}`);
  return result.notice;
}

describe("raising", () => {
  it("says what is, once", () => {
    expect(raise([], move, "n1", 100)).toEqual({ kind: "raised", notice: open, superseded: [] });
    expect(raise([open], { ...move, reason: "in other words" }, "n2", 300)).toEqual({ kind: "standing", notice: open });
  });

  it("supersedes rather than repeats when the facts have moved", () => {
    const raised = raise([open], larger, "n2", 300);
    expect(raised).toMatchObject({
      kind: "raised",
      notice: { id: "n2", evidence: larger.evidence, state: { kind: "open" } },
    });
    expect(raised).toMatchObject({
      superseded: [{ id: "n1", state: { kind: "superseded", by: "n2", at: 300 }, revision: 2 }],
    });
  });

  it("supersedes when other choices are given", () => {
    expect(raise([open], { ...move, choices: ["approve"] }, "n2", 300).kind).toBe("raised");
  });

  it("is only about its own line", () => {
    for (const other of [
      { ...larger, subject: { kind: "fleet", name: "readers" } as const },
      { ...larger, subject: { kind: "agent", name: "writers" } as const },
      { ...larger, about: "moveHeld" as const },
    ])
      expect(raise([open], other, "n2", 300)).toMatchObject({ kind: "raised", superseded: [] });
  });

  it("does not ask again what was decided on the same facts, and leaves what was decided as it is", () => {
    const done = decided();
    expect(raise([done], move, "n2", 300)).toEqual({ kind: "standing", notice: done });
    expect(raise([done], larger, "n2", 300)).toMatchObject({ kind: "raised", superseded: [] });
  });

  it("asks again when what a person wanted tried again has failed again, and once", () => {
    const failed: NoticeDraft = { ...move, about: "bundleReverted", choices: ["retry", "acknowledge"] };
    const word = { choice: "retry", by: "ada", at: 200, revision: 1 } as const;
    const retried = decide(newNotice(failed, "n1", 100), word, failed, "n9");
    if (retried.kind !== "decided") throw new Error(retried.kind);
    const again = raise([retried.notice], failed, "n2", 300);
    expect(again).toMatchObject({ kind: "raised", notice: { id: "n2" }, superseded: [] });
    expect(raise([retried.notice, newNotice(failed, "n2", 300)], failed, "n3", 400).kind).toBe("standing");
  });

  it("asks again what was superseded, should its facts come back", () => {
    expect(raise([withdraw(open, 150)], move, "n2", 300).kind).toBe("raised");
  });

  it("is withdrawn when it is not so any more", () => {
    expect(withdraw(open, 300).state).toEqual({ kind: "superseded", by: null, at: 300 });
    expect(withdraw(decided(), 300)).toEqual(decided());
  });
});

describe("deciding", () => {
  it("records who chose what and when", () => {
    expect(decided()).toEqual({
      ...open,
      state: { kind: "decided", choice: "approve", by: "ada", at: 200 },
      revision: 2,
    });
  });

  it("is done once: the second is told who was faster", () => {
    const second = decide(decided(), { ...approve, by: "bob", choice: "reject", revision: 1 }, move, "n9");
    expect(second).toEqual({ kind: "lost", notice: decided() });
    expect(decide(decided(), { ...approve, by: "bob", revision: 2 }, move, "n9").kind).toBe("lost");
  });

  it("is compared: who saw an older one is told", () => {
    const snoozed = snooze(open, { by: "ada", at: 150, revision: 1 }, 900).notice;
    expect(decide(snoozed, approve, move, "n9")).toEqual({ kind: "lost", notice: snoozed });
    expect(decide(snoozed, { ...approve, revision: 2 }, move, "n9").kind).toBe("decided");
  });

  it("is one of the choices", () => {
    expect(decide(open, { ...approve, choice: "retry" }, move, "n9")).toEqual({
      kind: "notAChoice",
      choices: ["approve", "reject"],
    });
  });

  it("is refused when the facts have moved, and a fresh notice takes its place", () => {
    const result = decide(open, approve, larger, "n9");
    expect(result).toMatchObject({
      kind: "moved",
      superseded: { id: "n1", state: { kind: "superseded", by: "n9" } },
      fresh: { id: "n9", evidence: larger.evidence, state: { kind: "open" }, raisedAt: 200 },
    });
  });

  it("is refused when a fact is gone, or one came, or the choice is not given any more", () => {
    for (const now of [
      { ...move, evidence: { move: "m1" } },
      { ...move, evidence: { ...move.evidence, more: "1" } },
      { ...move, evidence: { move: "m1", others: "" } },
      { ...move, choices: ["reject"] as const },
    ])
      expect(decide(open, approve, now, "n9").kind).toBe("moved");
  });

  it("is refused when there is nothing to decide any more", () => {
    expect(decide(open, approve, null, "n9")).toMatchObject({
      kind: "moved",
      superseded: { state: { kind: "superseded", by: null } },
      fresh: null,
    });
  });

  it("of a superseded notice is refused", () => {
    expect(decide(withdraw(open, 150), { ...approve, revision: 2 }, move, "n9").kind).toBe("lost");
  });

  it("holds for an executor as long as the facts do", () => {
    expect(standingChoice(decided(), move)).toBe("approve");
    expect(standingChoice(decided(), larger)).toBeNull();
    expect(standingChoice(decided(), null)).toBeNull();
    expect(standingChoice(decided(), { ...move, choices: ["reject"] })).toBeNull();
    expect(standingChoice(open, move)).toBeNull();
  });

  it("of many at once has exactly one winner, whatever they saw", () => {
    const decision = fc.record({
      choice: fc.constantFrom("approve", "reject", "retry"),
      by: fc.string(),
      at: fc.nat(),
      revision: fc.integer({ min: 1, max: 3 }),
    }) as fc.Arbitrary<Decision>;
    fc.assert(
      fc.property(fc.array(decision), (all) => {
        let stored = open;
        let winners = 0;
        for (const one of all) {
          const result = decide(stored, one, move, "n9");
          if (result.kind !== "decided") continue;
          winners += 1;
          stored = result.notice;
        }
        expect(winners).toBeLessThanOrEqual(1);
        expect(stored.state.kind === "decided").toBe(winners === 1);
      }),
    );
  });
});

describe("what waits for a person", () => {
  it("is open with choices, or was snoozed until now; the oldest first", () => {
    const later = newNotice({ ...larger, choices: ["approve"] }, "n2", 50);
    const known = newNotice({ ...move, choices: [] }, "n3", 10);
    const snoozed = snooze(newNotice(move, "n4", 20), { by: "ada", at: 150, revision: 1 }, 900).notice;
    const all = [open, later, known, snoozed, decided(newNotice(move, "n5", 1)), withdraw(newNotice(move, "n6", 1), 2)];
    expect(waiting(all, 899).map(({ id }) => id)).toEqual(["n2", "n1"]);
    expect(waiting(all, 900).map(({ id }) => id)).toEqual(["n4", "n2", "n1"]);
  });

  it("is what was snoozed by a clock that was ahead", () => {
    const snoozed = snooze(newNotice(move, "n4", 20), { by: "ada", at: 5_000, revision: 1 }, 9_000).notice;
    expect(waiting([snoozed], 4_999)).toHaveLength(1);
    expect(waiting([snoozed], 5_000)).toEqual([]);
  });
});

describe("the persisted form", () => {
  const all = [open, decided(), withdraw(open, 1), snooze(open, { by: "a", at: 1, revision: 1 }, 9).notice];

  it("is read as it was written", () => {
    for (const notice of all) expect(readNotice(writeNotice(notice))).toEqual(notice);
  });

  it.each([
    { ...open, format: 2 },
    { ...open, more: 1 },
    { ...open, choices: ["whatever"] },
    { ...open, evidence: { members: 2 } },
    { ...open, state: { kind: "open", by: "ada" } },
    { ...open, state: { kind: "decided", by: "ada", at: 1 } },
    { ...open, id: undefined },
  ])("is strict: %j", (wrong) => {
    expect(() => readNotice(JSON.stringify(wrong))).toThrow(PlainDataError);
  });
});
