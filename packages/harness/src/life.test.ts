import { describe, expect, it } from "vitest";
import type { Exit } from "./endings.ts";
import type { Decision, Effect, Input, Life, Situation, Stopping } from "./life.ts";
import { deadlineOf, step } from "./life.ts";

const limits = { drainMs: 30_000, graceMs: 60_000 };
const exit: Exit = { code: 0, signal: null, notStarted: null, outOfMemory: false };
const stopInput: Input = { kind: "stop", reason: "stopped", graceMs: null };
const stopping: Stopping = { reason: "stopped", drainUntil: 31_000, killAt: 61_000 };
const dying = { stop: stopping, exit: null, lost: [] };

const lives: readonly Life[] = [
  { phase: "waiting" },
  { phase: "gated" },
  { phase: "opening" },
  { phase: "running" },
  { phase: "draining", stop: stopping },
  { phase: "terminating", ...dying, killAt: 61_000 },
  { phase: "killing", ...dying },
  { phase: "ended", ending: { reason: "exited", exitCode: 0, signal: null, detail: null, at: null } },
];

const inputs: readonly Input[] = [
  { kind: "spawned" },
  { kind: "cannotStart", detail: "no such command" },
  { kind: "recorded" },
  { kind: "execSeen" },
  stopInput,
  { kind: "exited", exit, lost: [] },
  { kind: "empty", killed: false },
  { kind: "tick" },
];

function at(now: number, inFlight = 0): Situation {
  return { now, inFlight, limits };
}

/** A whole story: the life after all inputs, and every effect on the way. */
function live(from: Life, story: readonly (readonly [Input, Situation])[]): Decision {
  return story.reduce<Decision>(
    ({ life, effects }, [input, situation]) => {
      const next = step(life, input, situation);
      return { life: next.life, effects: [...effects, ...next.effects] };
    },
    { life: from, effects: [] },
  );
}

function atWith(phase: Life["phase"]): Life {
  const found = lives.find((life) => life.phase === phase);
  if (found === undefined) throw new Error(phase);
  return found;
}

// Rows: phase, then the phase after each input and its effects, at 1 s with a turn in flight.
const table: readonly (readonly [Life["phase"], Input["kind"], Life["phase"], readonly Effect[]])[] = [
  ["waiting", "spawned", "gated", ["recordSpawned"]],
  ["waiting", "cannotStart", "ended", ["recordEnded"]],
  ["waiting", "stop", "ended", ["recordEnded"]],
  ["gated", "recorded", "opening", ["openGate"]],
  ["gated", "stop", "terminating", ["closeGate"]],
  ["gated", "exited", "terminating", ["terminate"]],
  ["opening", "execSeen", "running", ["recordRunning"]],
  ["opening", "stop", "draining", ["announceDrain"]],
  ["opening", "exited", "terminating", ["terminate"]],
  ["running", "stop", "draining", ["announceDrain"]],
  ["running", "exited", "terminating", ["terminate"]],
  ["draining", "exited", "terminating", ["terminate"]],
  ["terminating", "exited", "terminating", ["terminate"]],
  ["killing", "exited", "killing", []],
];

describe("a step with a turn in flight", () => {
  for (const life of lives)
    for (const input of inputs) {
      const row = table.find(([phase, kind]) => phase === life.phase && kind === input.kind);
      const [, , phase, effects] = row ?? [life.phase, input.kind, life.phase, []];
      it(`${life.phase} + ${input.kind} → ${phase} ${effects.join(", ")}`, () => {
        const decision = step(life, input, at(1_000, 1));
        expect(decision.life.phase).toBe(phase);
        expect(decision.effects).toEqual(effects);
      });
    }
});

describe("a stop", () => {
  it("terminates at once when no turn is in flight", () => {
    const { life, effects } = step({ phase: "running" }, stopInput, at(1_000));
    expect(effects).toEqual(["announceDrain", "terminate"]);
    expect(life).toMatchObject({ phase: "terminating", killAt: 61_000 });
  });

  it("waits for the turn, and terminates when it has ended", () => {
    const story = live({ phase: "running" }, [
      [stopInput, at(1_000, 1)],
      [{ kind: "tick" }, at(20_000, 1)],
      [{ kind: "tick" }, at(20_001, 0)],
    ]);
    expect(story.life.phase).toBe("terminating");
    expect(story.effects).toEqual(["announceDrain", "terminate"]);
  });

  it("waits no longer than drain, and kills at grace from the beginning", () => {
    const begun = step({ phase: "running" }, stopInput, at(1_000, 1)).life;
    expect(deadlineOf(begun)).toBe(31_000);
    expect(step(begun, { kind: "tick" }, at(30_999, 1)).effects).toEqual([]);
    const terminating = step(begun, { kind: "tick" }, at(31_000, 1));
    expect(terminating.effects).toEqual(["terminate"]);
    expect(deadlineOf(terminating.life)).toBe(61_000);
    expect(step(terminating.life, { kind: "tick" }, at(60_999, 1)).effects).toEqual([]);
    const killing = step(terminating.life, { kind: "tick" }, at(61_000, 1));
    expect(killing.effects).toEqual(["kill"]);
    expect(killing.life.phase).toBe("killing");
    expect(deadlineOf(killing.life)).toBeNull();
  });

  it("changes nothing when it comes again", () => {
    const begun = step({ phase: "running" }, stopInput, at(1_000, 1)).life;
    expect(step(begun, stopInput, at(9_000, 1))).toEqual({ life: begun, effects: [] });
    const terminating = atWith("terminating");
    expect(step(terminating, stopInput, at(9_000, 1))).toEqual({ life: terminating, effects: [] });
  });

  it("is shortened by a person's grace, half of which is left for turns", () => {
    const begun = step({ phase: "running" }, stopInput, at(1_000, 1)).life;
    const now: Input = { kind: "stop", reason: "stopped", graceMs: 4_000 };
    const shorter = step(begun, now, at(5_000, 1)).life;
    expect(shorter).toEqual({ phase: "draining", stop: { reason: "stopped", drainUntil: 7_000, killAt: 9_000 } });
    // The mark is read again and again: it does not move the end.
    expect(step(shorter, now, at(6_000, 1)).life).toEqual(shorter);
  });

  it("of the process alone is no stop of the agent, until somebody asks for one", () => {
    const renewed: Input = { kind: "stop", reason: "renewed", graceMs: null };
    const exit = { code: 0, signal: null, notStarted: null, outOfMemory: false };
    for (const asked of [null, "draining", "terminating", "killing"] as const) {
      let { life } = step({ phase: "running" }, renewed, at(1_000, 1));
      const ask = (): void => {
        if (asked === life.phase) life = step(life, stopInput, at(1_001, 1)).life;
      };
      ask();
      life = step(life, { kind: "tick" }, at(2_000, 0)).life;
      ask();
      life = step(life, { kind: "tick" }, at(61_000, 0)).life;
      ask();
      // What comes later never weakens it.
      life = step(life, renewed, at(61_001, 0)).life;
      life = step(life, { kind: "exited", exit, lost: [] }, at(61_002)).life;
      life = step(life, { kind: "empty", killed: false }, at(61_003)).life;
      expect(life).toMatchObject({ phase: "ended", ending: { reason: asked === null ? "exited" : "stopped" } });
    }
  });

  it("is never made longer", () => {
    const longer: Input = { kind: "stop", reason: "stopped", graceMs: 3_600_000 };
    const { life } = step({ phase: "running" }, longer, at(1_000, 1));
    expect(life).toEqual({ phase: "draining", stop: { reason: "stopped", drainUntil: 31_000, killAt: 61_000 } });
  });

  it("with a grace of 0 kills right away", () => {
    const now: Input = { kind: "stop", reason: "stopped", graceMs: 0 };
    const story = live({ phase: "running" }, [
      [now, at(1_000, 1)],
      [{ kind: "tick" }, at(1_000, 1)],
    ]);
    expect(story.effects).toEqual(["announceDrain", "terminate", "kill"]);
  });

  it("while terminating shortens the time to the kill alone", () => {
    const now: Input = { kind: "stop", reason: "stopped", graceMs: 2_000 };
    const { life } = step(atWith("terminating"), now, at(40_000));
    expect(deadlineOf(life)).toBe(42_000);
  });
});

describe("the end", () => {
  it("is no end before the agent's own exit was seen", () => {
    const terminating = atWith("terminating");
    expect(step(terminating, { kind: "empty", killed: false }, at(2_000))).toEqual({ life: terminating, effects: [] });
  });

  it("is no end before all that it left is gone", () => {
    const story = live({ phase: "running" }, [[{ kind: "exited", exit, lost: [] }, at(5_000)]]);
    expect(story.life).toMatchObject({ phase: "terminating", stop: null, killAt: 65_000 });
  });

  it.each([
    ["stopped", { ...stopInput }],
    ["idle", { kind: "stop", reason: "idle", graceMs: null }],
  ] as const)("is called %s when that was asked for, whatever the exit", (reason, input) => {
    const crashed: Exit = { ...exit, code: 7 };
    const { life, effects } = live({ phase: "running" }, [
      [input, at(1_000)],
      [{ kind: "exited", exit: crashed, lost: [] }, at(2_000)],
      [{ kind: "empty", killed: false }, at(3_000)],
    ]);
    expect(life).toMatchObject({ phase: "ended", ending: { reason, exitCode: 7, signal: null, detail: null } });
    expect(effects).toEqual(["announceDrain", "terminate", "terminate", "recordEnded"]);
  });

  it("keeps its own reason when the stop comes after it", () => {
    const { life } = live({ phase: "running" }, [
      [{ kind: "exited", exit: { ...exit, code: 3 }, lost: [{ id: "t1", ageMs: 1_200 }] }, at(1_000)],
      [stopInput, at(1_001)],
      [{ kind: "empty", killed: false }, at(1_002)],
    ]);
    expect(life).toMatchObject({
      ending: { reason: "exited", exitCode: 3, detail: "turn t1 (1.2 s after it began) was lost" },
    });
  });

  it("without a start has the reason in words", () => {
    const { life } = step({ phase: "waiting" }, { kind: "cannotStart", detail: "no such command" }, at(0));
    expect(life).toMatchObject({ ending: { reason: "notStarted", exitCode: null, detail: "no such command" } });
  });
});
