import { describe, expect, it } from "vitest";
import { PlainDataError } from "../plain-data.ts";
import { stepMove } from "./cold-move.ts";
import { hasPointOfNoReturn, type Look, type Move, type MoveEffect, type MoveEvent, proposeMove } from "./move.ts";
import { approvalNotice } from "./move-notices.ts";
import { logTarget, oldTarget, proposal, proposed, wireTarget } from "./moves.fixture.ts";
import { readMove, writeMove } from "./read-move.ts";

const person = { by: "ada", at: 5 };
const nobody: Look = { old: [], new: [], unjudged: [], leftovers: 0 };
const approve: MoveEvent = { kind: "approve", ...person, members: ["scribe", "editor"] };
const allNew: MoveEvent = { kind: "seen", look: { ...nobody, new: ["scribe", "editor"] } };
const allOld: MoveEvent = { kind: "seen", look: { ...nobody, old: ["scribe", "editor"] } };
const empty: MoveEvent = { kind: "seen", look: nobody };

/** The move after these events, each persisted, and what the last one wanted done. */
function after(move: Move, ...events: readonly MoveEvent[]): { move: Move; effects: readonly MoveEffect[] } {
  let step: { move: Move; effects: readonly MoveEffect[] } = { move, effects: [] };
  for (const event of events) step = stepMove(readMove(writeMove(step.move)), event);
  return step;
}

const done = (effects: readonly MoveEffect[]): string[] =>
  effects.filter(({ kind }) => kind !== "tell").map(({ kind }) => kind);

const toQuiescing: MoveEvent[] = [approve, { kind: "closed", epoch: 2 }];
const toStopped: MoveEvent[] = [...toQuiescing, { kind: "cleared" }, empty];
const toSwitched: MoveEvent[] = [...toStopped, { kind: "switched", side: "new" }];
const toMigrated: MoveEvent[] = [...toSwitched, { kind: "migrated" }];
const toStarting: MoveEvent[] = [...toMigrated, empty, { kind: "opened", epoch: 3, side: "new" }];
const migrating = { migration: "node migrate.ts" };

describe("the way to the new formats", () => {
  it("goes through every state, each with what is to be done", () => {
    const move = proposed(migrating);
    const rows: [MoveEvent[], string, string[]][] = [
      [[], "proposed", []],
      [[approve], "approved", ["close"]],
      [toQuiescing, "quiescing", ["stop", "clear"]],
      [[...toQuiescing, { kind: "cleared" }], "quiescing", ["stop", "look"]],
      [toStopped, "stopped", ["switch"]],
      [toSwitched, "switched", ["migrate"]],
      [toMigrated, "migrated", ["clear", "look"]],
      [[...toMigrated, empty], "migrated", ["open"]],
      [toStarting, "starting", ["start", "look"]],
      [[...toStarting, allNew], "done", []],
    ];
    for (const [events, kind, effects] of rows) {
      const step = after(move, ...events);
      expect([step.move.state.kind, done(step.effects)]).toEqual([kind, effects]);
    }
    expect(after(move, ...toStarting, allNew).move).toMatchObject({
      epoch: 3,
      decisions: [{ choice: "approve", by: "ada", at: 5 }],
    });
  });

  it("has nothing to migrate where nothing is said", () => {
    expect(after(proposed(), ...toSwitched).move.state).toEqual({ kind: "migrated", opening: false });
  });

  it("is taken up in each state by whoever comes after a kill", () => {
    for (const events of [toQuiescing, toStopped, toSwitched, toMigrated, toStarting]) {
      const step = after(proposed(migrating), ...events);
      const resumed = stepMove(step.move, { kind: "resumed" });
      expect(resumed.move).toEqual(step.move);
      expect(done(resumed.effects)).toEqual(done(step.effects));
    }
  });

  it("does nothing before a person has approved it, for exactly these members", () => {
    expect(after(proposed(), { kind: "closed", epoch: 2 }, empty).move.state.kind).toBe("proposed");
    for (const members of [["scribe"], ["scribe", "editor", "critic"], ["scribe", "critic"]]) {
      const step = after(proposed(), { kind: "approve", ...person, members });
      expect(step.move.state).toMatchObject({ kind: "aborted", why: expect.stringContaining("other members") });
      expect(done(step.effects)).toEqual([]);
    }
    const rejected = after(proposed(), { kind: "reject", ...person });
    expect(rejected.move).toMatchObject({ state: { kind: "aborted" }, decisions: [{ choice: "reject", by: "ada" }] });
  });

  it("is not stopped before it is proven", () => {
    const kind = (...events: MoveEvent[]): string => after(proposed(), ...toQuiescing, ...events).move.state.kind;
    const seen = (look: Partial<Look>): MoveEvent => ({ kind: "seen", look: { ...nobody, ...look } });
    expect(kind(empty)).toBe("quiescing");
    for (const look of [{ old: ["scribe"] }, { new: ["scribe"] }, { unjudged: ["scribe"] }, { leftovers: 1 }])
      expect(kind({ kind: "cleared" }, seen(look))).toBe("quiescing");
    // A Secret that came late wants another clearing, and only a look after that one counts.
    expect(kind({ kind: "cleared" }, seen({ leftovers: 1 }), empty)).toBe("quiescing");
  });

  it("goes back to stopping when somebody slips before the switch", () => {
    expect(after(proposed(), ...toStopped, allOld).move.state).toEqual({ kind: "quiescing", cleared: false });
  });

  it("is held when somebody slips after it", () => {
    expect(after(proposed(migrating), ...toSwitched, allOld).move.state.kind).toBe("held");
    expect(after(proposed(migrating), ...toMigrated, allOld).move.state.kind).toBe("held");
    const starting = after(proposed(migrating), ...toStarting, { kind: "seen", look: { ...nobody, old: ["guest"] } });
    expect(starting.move.state).toMatchObject({ kind: "held", at: { kind: "starting" } });
  });

  it("is not held by what can never start, and does not open before that is cleared", () => {
    const left: MoveEvent = { kind: "seen", look: { ...nobody, leftovers: 1 } };
    const { move } = after(proposed(migrating), ...toMigrated, left);
    expect(move.state).toEqual({ kind: "migrated", opening: false });
    expect(after(move, empty).move.state).toEqual({ kind: "migrated", opening: true });
  });

  it("is not done before every member runs, and nothing that cannot be judged", () => {
    const kind = (look: Partial<Look>): string =>
      after(proposed(migrating), ...toStarting, { kind: "seen", look: { ...nobody, ...look } }).move.state.kind;
    expect(kind({ new: ["scribe"] })).toBe("starting");
    expect(kind({ new: ["scribe", "editor"], unjudged: ["editor"] })).toBe("starting");
    expect(kind({ new: ["scribe", "editor", "guest"] })).toBe("done");
  });

  it("takes only a higher epoch for its own, and only of its side", () => {
    expect(after(proposed(), approve, { kind: "closed", epoch: 1 }).move.state.kind).toBe("approved");
    const opening = after(proposed(migrating), ...toMigrated, empty).move;
    expect(after(opening, { kind: "opened", epoch: 2, side: "new" }).move.state.kind).toBe("migrated");
    expect(after(opening, { kind: "opened", epoch: 3, side: "old" }).move.state.kind).toBe("migrated");
    expect(after(proposed(migrating), ...toMigrated, { kind: "opened", epoch: 3, side: "new" }).move.state.kind).toBe(
      "migrated",
    );
  });
});

describe("held", () => {
  it.each<[string, MoveEvent]>([
    ["a deadline passed", { kind: "deadline" }],
    ["a step failed", { kind: "failed", why: "exit code 1" }],
    ["somebody else moved the epoch", { kind: "epochLost", epoch: 9 }],
  ])("because %s, with a notice that asks", (_, event) => {
    for (const events of [toQuiescing, toStopped, toSwitched, toMigrated, toStarting]) {
      const { move, effects } = after(proposed(migrating), ...events, event);
      expect(move.state.kind).toBe("held");
      expect(effects).toContainEqual(
        expect.objectContaining({
          kind: "notice",
          draft: expect.objectContaining({ about: "moveHeld", choices: ["goOn", "goBack"] }),
        }),
      );
      expect(after(move, empty, { kind: "cleared" }, { kind: "switched", side: "new" }).move).toEqual(move);
    }
  });

  it("goes on where it was", () => {
    for (const events of [toQuiescing, toStopped, toSwitched, toMigrated, toStarting]) {
      const before = after(proposed(migrating), ...events);
      const step = after(before.move, { kind: "deadline" }, { kind: "goOn", ...person });
      expect(step.move.state).toEqual(before.move.state);
      expect(done(step.effects)).toEqual(done(before.effects));
      expect(step.move.decisions.at(-1)).toEqual({ choice: "goOn", ...person });
    }
  });

  it("before anything was closed, a lost epoch ends it", () => {
    expect(after(proposed(), approve, { kind: "epochLost", epoch: 9 }).move.state.kind).toBe("aborted");
  });
});

describe("the way back", () => {
  const back: MoveEvent = { kind: "goBack", ...person, acrossNoReturn: false };
  const across: MoveEvent = { ...back, acrossNoReturn: true };
  const newOne: MoveEvent = { kind: "seen", look: { ...nobody, new: ["scribe"] } };

  it("closes, clears what is new, switches, opens and starts the old pair", () => {
    const begun = after(proposed(migrating), ...toStarting, back);
    const rows: [MoveEvent[], string[]][] = [
      [[], ["close"]],
      [[{ kind: "closed", epoch: 4 }], ["stop", "clear"]],
      [[{ kind: "cleared" }], ["stop", "look"]],
      [[empty], ["switch"]],
      [[{ kind: "switched", side: "old" }], ["look"]],
      [[empty], ["open"]],
      [[{ kind: "opened", epoch: 5, side: "old" }], ["start", "look"]],
    ];
    let step = begun;
    for (const [events, effects] of rows) {
      if (events.length > 0) step = after(step.move, ...events);
      expect(done(step.effects)).toEqual(effects);
      expect(done(stepMove(step.move, { kind: "resumed" }).effects)).toEqual(effects);
    }
    expect(after(step.move, allOld).move).toMatchObject({ state: { kind: "rolledBack" }, epoch: 5 });
    expect(after(step.move, empty).move.state.kind).toBe("returning");
    const mixed = { kind: "seen", look: { ...nobody, old: ["scribe", "editor"], new: ["guest"] } } as const;
    expect(after(step.move, mixed).move.state).toMatchObject({ kind: "held", at: { phase: "starting" } });
  });

  it("is an abort before the switch, and a rollback after it", () => {
    const outcomes = [toQuiescing, toStopped, toSwitched, toMigrated, toStarting].map((events) => {
      const { state } = after(proposed(migrating), ...events, back).move;
      return state.kind === "returning" ? state.outcome : state.kind;
    });
    expect(outcomes).toEqual(["aborted", "aborted", "rolledBack", "rolledBack", "rolledBack"]);
  });

  it("lets old ones live and waits for every new one to be gone", () => {
    const clearing = after(proposed(), ...toStopped, back, { kind: "closed", epoch: 4 }, { kind: "cleared" }).move;
    expect(after(clearing, newOne).move.state).toMatchObject({ phase: "clearing" });
    expect(after(clearing, allOld).move.state).toMatchObject({ phase: "switching" });
    const secret = after(clearing, { kind: "seen", look: { ...nobody, leftovers: 1 } });
    expect([secret.move.state, done(secret.effects)]).toMatchObject([
      { phase: "clearing", cleared: false },
      ["stop", "clear"],
    ]);
    const opening = after(clearing, allOld, { kind: "switched", side: "old" }).move;
    expect(after(opening, newOne).move.state).toMatchObject({ phase: "clearing" });
    expect(after(opening, { kind: "opened", epoch: 5, side: "old" }).move.state).toMatchObject({ phase: "opening" });
  });

  it("is held and goes on like the way there, and does not turn round", () => {
    const held = after(proposed(), ...toStopped, back, { kind: "deadline" });
    expect(held.move.state).toMatchObject({ kind: "held", at: { kind: "returning", phase: "closing" } });
    expect(after(held.move, back).move).toEqual(held.move);
    expect(done(after(held.move, { kind: "goOn", ...person }).effects)).toEqual(["close"]);
  });

  it("from behind the point of no return wants a decision of its own", () => {
    const move = proposed({ to: logTarget, migration: "node migrate.ts" });
    for (const events of [toSwitched, toMigrated, toStarting]) {
      const asked = after(move, ...events, back);
      expect(asked.move.state.kind).not.toBe("returning");
      expect(asked.effects).toMatchObject([{ kind: "notice", draft: { about: "pointOfNoReturn" } }]);
      expect(after(move, ...events, across).move).toMatchObject({
        state: { outcome: "rolledBack" },
        acrossNoReturn: true,
      });
      expect(after(move, ...events, { kind: "deadline" }, back).move.state.kind).toBe("held");
      expect(after(move, ...events, { kind: "deadline" }, across).move.state.kind).toBe("returning");
    }
    expect(after(move, ...toStopped, back).move.state.kind).toBe("returning");
    expect(after(proposed(migrating), ...toStarting, back).move.state.kind).toBe("returning");
  });
});

describe("a proposal", () => {
  it("is for a move of formats, of somebody, with all that it needs", () => {
    expect(proposeMove(proposal()).kind).toBe("proposed");
    expect(proposeMove(proposal({ to: oldTarget })).kind).toBe("notCold");
    expect(proposeMove(proposal({ members: [] })).kind).toBe("nobody");
    expect(proposeMove(proposal({ bundle: null })).kind).toBe("bundleMissing");
    expect(proposeMove(proposal({ bundle: "none" }))).toMatchObject({ kind: "proposed", move: { bundle: null } });
    expect(proposeMove(proposal({ bundle: { digest: "d5", target: oldTarget } }))).toEqual({
      kind: "bundleUnfit",
      axis: "wireVersion",
    });
  });

  it("says beforehand what moves, who stops, and whether there is a way back", () => {
    const plain = approvalNotice(proposed({ to: wireTarget }));
    expect(plain).toMatchObject({
      about: "coldMove",
      subject: { kind: "fleet", name: "writers" },
      choices: ["approve", "reject"],
    });
    expect(plain.reason).toContain("wire version 3 → 4");
    expect(plain.reason).toContain("can go back");
    expect(plain.evidence["members"]).toBe("scribe b1 → b2, editor b1 → b2");
    const log = proposed({ to: logTarget });
    expect(hasPointOfNoReturn(log)).toBe(true);
    expect(approvalNotice(log).reason).toContain("nothing leads back");
  });
});

describe("the persisted form", () => {
  it.each<[string, (move: Move) => unknown]>([
    ["another format", (move) => ({ ...move, format: 2 })],
    ["a state that is not known", (move) => ({ ...move, state: { kind: "paused" } })],
    ["a state with a field too many", (move) => ({ ...move, state: { kind: "stopped", cleared: true } })],
    ["a malformed target", (move) => ({ ...move, to: { ...move.to, wireVersion: -1 } })],
    ["a field that is missing", ({ id: _, ...move }) => move],
    ["held at an end", (move) => ({ ...move, state: { kind: "held", at: { kind: "done" }, why: "" } })],
  ])("is strict: %s", (_, change) => {
    expect(() => readMove(JSON.stringify(change(proposed())))).toThrow(PlainDataError);
  });
});
