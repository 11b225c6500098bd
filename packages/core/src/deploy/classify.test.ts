import { describe, expect, it } from "vitest";
import { classify, ruleOf } from "./classify.ts";
import { ending, evidence, instance, intent } from "./observed.fixture.ts";

const desired = intent("a");
const diverged = { intent: intent("b") };
const fence = { uid: "uid-1", resourceVersion: "7" };

describe("classify, rule by rule", () => {
  it("1: nothing is created", () => {
    expect(classify(null, desired)).toEqual({ kind: "create" });
  });

  it.each(Object.entries(evidence))("2: a deletion mark beats %s", (_name, state) => {
    const marked = instance(state, { deletion: { since: null, finalizers: [] } }, ["the-secret"]);
    expect(classify(marked, desired).kind).toBe("awaitDisappearance");
    expect(classify(marked, intent("b")).kind).toBe("awaitDisappearance");
  });

  it("3: a started agent is never touched, whatever the intent says", () => {
    expect(classify(instance(evidence.started), desired)).toMatchObject({ kind: "noOp", intent: "current" });
    expect(classify(instance(evidence.started, diverged), desired)).toMatchObject({ kind: "noOp", intent: "diverged" });
    expect(classify(instance(evidence.started, { intent: "other:1" }), desired)).toMatchObject({
      kind: "noOp",
      intent: "notComparable",
    });
  });

  it("3: a started agent on a lost node is still started", () => {
    const lost = { node: "n1", since: null };
    const action = classify(instance({ ...evidence.started, nodeLost: lost }), desired);
    expect(action).toMatchObject({ kind: "noOp", nodeUnreachable: lost });
  });

  it("4: what has ended makes way, with its own fence", () => {
    expect(classify(instance(evidence.terminated), desired)).toMatchObject({
      kind: "delete",
      ground: "terminated",
      fence,
    });
  });

  it("5: what can provably never start makes way, whatever the intent", () => {
    for (const state of [evidence.invalidImage, evidence.secretMissing, evidence.abandoned]) {
      const broken = instance(state, {}, ["the-secret"]);
      expect(classify(broken, desired)).toMatchObject({ kind: "delete", ground: "provablyBroken", fence });
    }
  });

  it("5: a missing Secret that no read has confirmed proves nothing", () => {
    expect(classify(instance(evidence.secretMissing), desired).kind).toBe("observe");
  });

  it("6: a pull that will not heal is reported, even when the intent diverges", () => {
    for (const wanted of [desired, intent("b")]) {
      expect(classify(instance(evidence.pullFailing), wanted)).toMatchObject({
        kind: "report",
        finding: { kind: "pullFailing" },
      });
    }
  });

  it("6: what cannot be judged is reported", () => {
    expect(classify(instance(evidence.cannotTell, diverged), desired)).toMatchObject({
      kind: "report",
      finding: { kind: "cannotTell" },
    });
  });

  it("7: interrupted is only observed, even when the intent diverges", () => {
    expect(classify(instance(evidence.interrupted), desired).kind).toBe("observe");
    expect(classify(instance(evidence.interrupted, diverged), desired).kind).toBe("observe");
  });

  it("7: the same intent, or one that cannot be compared, only observes", () => {
    expect(classify(instance(evidence.recoverable), desired)).toMatchObject({ kind: "observe", intent: "current" });
    expect(classify(instance(evidence.recoverable, { intent: "sha:9" }), desired)).toMatchObject({
      kind: "observe",
      intent: "notComparable",
    });
  });

  it("8: a changed or a missing intent replaces what never started", () => {
    expect(classify(instance(evidence.recoverable, diverged), desired)).toMatchObject({
      kind: "delete",
      ground: "intentChanged",
      fence,
    });
    expect(classify(instance(evidence.recoverable, { intent: "" }), desired)).toMatchObject({
      kind: "delete",
      ground: "intentChanged",
    });
  });

  it("names the rule of each action", () => {
    const rules = [
      ruleOf(classify(null, desired)),
      ruleOf(classify(instance(evidence.started, { deletion: { since: null, finalizers: [] } }), desired)),
      ruleOf(classify(instance(evidence.started), desired)),
      ruleOf(classify(instance(evidence.terminated), desired)),
      ruleOf(classify(instance(evidence.abandoned), desired)),
      ruleOf(classify(instance(evidence.pullFailing), desired)),
      ruleOf(classify(instance(evidence.interrupted), desired)),
      ruleOf(classify(instance(evidence.recoverable, diverged), desired)),
    ];
    expect(rules).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("keeps how it ended", () => {
    expect(instance(evidence.terminated).startup).toEqual({ kind: "terminated", ending });
  });
});
