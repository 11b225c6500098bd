import { describe, expect, it } from "vitest";
import { classify } from "./classify.ts";
import type { Attempt } from "./identity.ts";
import type { Spent } from "./limits.ts";
import { withinLimits } from "./limits.ts";
import type { VerifiedInstance } from "./observation.ts";
import { attempt, evidence, instance, intent } from "./observed.fixture.ts";

const desired = intent("a");
const other = "fedcba9876543210" as Attempt;

function limited(own: VerifiedInstance | null, spent: Partial<Spent>, mine: Attempt | null = attempt): unknown {
  return withinLimits(
    classify(own, desired),
    own,
    { role: "free", removedUid: null, ...spent },
    mine,
    desired,
    "scribe",
  );
}

describe("what one call may still do", () => {
  it("free: everything that the table says, and the removal of one incarnation", () => {
    expect(limited(null, {})).toMatchObject({ kind: "create" });
    expect(limited(instance(evidence.terminated), {})).toMatchObject({ kind: "delete" });
    expect(limited(instance(evidence.terminated), { removedUid: "uid-1" })).toMatchObject({ kind: "delete" });
  });

  it("free: a second incarnation is told, not removed", () => {
    expect(limited(instance(evidence.terminated), { removedUid: "uid-0" })).toMatchObject({
      kind: "reported",
      condition: { code: "agentEnded" },
    });
    expect(limited(instance(evidence.recoverable, { intent: intent("b") }), { removedUid: "uid-0" })).toMatchObject({
      kind: "worldMoved",
    });
    expect(limited(instance(evidence.abandoned), { removedUid: "uid-0" })).toMatchObject({ kind: "worldMoved" });
  });

  it("creator: an agent that ends at once is told, never created again", () => {
    expect(limited(instance(evidence.terminated), { role: "creator" })).toMatchObject({
      kind: "reported",
      condition: { code: "agentEnded" },
    });
    expect(limited(instance(evidence.abandoned), { role: "creator" })).toMatchObject({
      kind: "reported",
      condition: { code: "provablyBroken" },
    });
    expect(limited(null, { role: "creator" })).toMatchObject({ kind: "worldMoved" });
  });

  it("creator: what others do to it is told as that", () => {
    const marked = instance(evidence.started, { deletion: { since: null, finalizers: [] } });
    expect(limited(marked, { role: "creator" })).toMatchObject({ kind: "worldMoved" });
    expect(limited(instance(evidence.terminated, { attempt: other }), { role: "creator" })).toMatchObject({
      kind: "worldMoved",
    });
    expect(limited(instance(evidence.recoverable, { intent: intent("b") }), { role: "creator" })).toMatchObject({
      kind: "worldMoved",
    });
  });

  it("creator: goes on watching and reports as the table says", () => {
    expect(limited(instance(evidence.started), { role: "creator" })).toMatchObject({ kind: "noOp" });
    expect(limited(instance(evidence.recoverable), { role: "creator" })).toMatchObject({ kind: "observe" });
    expect(limited(instance(evidence.pullFailing), { role: "creator" })).toMatchObject({ kind: "report" });
  });

  it("loser: repairs and replaces nothing", () => {
    expect(limited(instance(evidence.recoverable, { intent: intent("b") }), { role: "loser" })).toMatchObject({
      kind: "observe",
      intent: "diverged",
    });
    expect(limited(instance(evidence.abandoned), { role: "loser" })).toMatchObject({ kind: "observe" });
    expect(limited(instance(evidence.terminated), { role: "loser" })).toMatchObject({ kind: "reported" });
    expect(limited(instance(evidence.started), { role: "loser" })).toMatchObject({ kind: "noOp" });
  });

  it("loser: a winner that is marked or gone ends the call as the world moved", () => {
    const marked = instance(evidence.started, { deletion: { since: null, finalizers: [] } });
    expect(limited(marked, { role: "loser" })).toMatchObject({ kind: "worldMoved" });
    expect(limited(null, { role: "loser" })).toMatchObject({ kind: "worldMoved" });
  });
});
