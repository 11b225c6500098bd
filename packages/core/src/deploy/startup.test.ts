import { describe, expect, it } from "vitest";
import { cause, ending, evidence } from "./observed.fixture.ts";
import type { Evidence } from "./startup.ts";
import { decodeStartup, secretToConfirm } from "./startup.ts";

const none: ReadonlySet<string> = new Set();

describe("evidence to startup, first match", () => {
  it("our container runs: started, with the lost node as a condition", () => {
    expect(decodeStartup(evidence.started, none)).toEqual({ kind: "started", nodeUnreachable: null });
    const lost = { node: "n1", since: "2026-01-01T00:00:00Z" };
    expect(decodeStartup({ ...evidence.started, nodeLost: lost }, none)).toEqual({
      kind: "started",
      nodeUnreachable: lost,
    });
  });

  it("phase Running alone is not started", () => {
    expect(decodeStartup({ ...evidence.recoverable, phase: "running" }, none).kind).toBe("recoverable");
  });

  it("our container has terminated", () => {
    expect(decodeStartup(evidence.terminated, none)).toEqual({ kind: "terminated", ending });
  });

  it.each(["succeeded", "failed"] as const)(
    "phase %s while ours does not run: terminated, even when it still says waiting",
    (phase) => {
      expect(decodeStartup({ ...evidence.recoverable, phase }, none)).toMatchObject({
        kind: "terminated",
        ending: { reason: "unknown", detail: cause.message },
      });
      expect(decodeStartup({ ...evidence.interrupted, phase }, none).kind).toBe("terminated");
      expect(decodeStartup({ container: { state: "absent", cause }, phase, nodeLost: null }, none).kind).toBe(
        "terminated",
      );
      expect(decodeStartup({ ...evidence.started, phase }, none).kind).toBe("started");
    },
  );

  it("waiting after it has run, or phase Unknown: interrupted", () => {
    expect(decodeStartup(evidence.interrupted, none)).toEqual({ kind: "interrupted", cause });
    expect(decodeStartup({ ...evidence.recoverable, phase: "unknown" }, none).kind).toBe("interrupted");
    expect(decodeStartup({ container: { state: "absent", cause }, phase: "unknown", nodeLost: null }, none).kind).toBe(
      "interrupted",
    );
  });

  it("it has run before: no defect makes it broken any more", () => {
    const image: Evidence = {
      ...evidence.invalidImage,
      container: { ...evidence.invalidImage.container, ranBefore: true },
    };
    expect(decodeStartup(image, none).kind).toBe("interrupted");
    const secret: Evidence = {
      ...evidence.secretMissing,
      container: { ...evidence.secretMissing.container, ranBefore: true },
    };
    expect(decodeStartup(secret, new Set(["the-secret"])).kind).toBe("interrupted");
    const pull: Evidence = {
      ...evidence.pullFailing,
      container: { ...evidence.pullFailing.container, ranBefore: true },
    };
    expect(decodeStartup(pull, none).kind).toBe("interrupted");
  });

  it("an invalid image is broken only when our own grammar rejects it too", () => {
    expect(decodeStartup(evidence.invalidImage, none)).toEqual({
      kind: "provablyBroken",
      proof: { kind: "invalidImage", image: "UPPER/case" },
    });
    const short: Evidence = {
      ...evidence.invalidImage,
      container: {
        ...evidence.invalidImage.container,
        suspicion: { kind: "invalidImage", image: "scribe", rejected: false },
      },
    };
    expect(decodeStartup(short, none).kind).toBe("recoverable");
  });

  it("a missing Secret is broken only when the absence of that very Secret is confirmed", () => {
    expect(secretToConfirm(evidence.secretMissing)).toBe("the-secret");
    expect(decodeStartup(evidence.secretMissing, none).kind).toBe("recoverable");
    expect(decodeStartup(evidence.secretMissing, new Set(["another"])).kind).toBe("recoverable");
    expect(decodeStartup(evidence.secretMissing, new Set(["the-secret"]))).toEqual({
      kind: "provablyBroken",
      proof: { kind: "secretAbsent", secret: "the-secret" },
    });
    for (const state of [evidence.started, evidence.terminated, evidence.recoverable, evidence.pullFailing])
      expect(secretToConfirm(state)).toBeNull();
  });

  it("a failing pull keeps its failure, an abandoned creation is broken, what nobody can judge stays that", () => {
    expect(decodeStartup(evidence.pullFailing, none)).toMatchObject({
      kind: "pullFailing",
      failure: { kind: "unauthorized" },
    });
    expect(decodeStartup(evidence.abandoned, none)).toEqual({ kind: "provablyBroken", proof: { kind: "creatorLost" } });
    expect(decodeStartup(evidence.cannotTell, none)).toEqual({ kind: "cannotTell", cause });
  });

  it("anything else that never started is recoverable, with its cause", () => {
    expect(decodeStartup(evidence.recoverable, none)).toEqual({ kind: "recoverable", cause });
    expect(decodeStartup({ container: { state: "absent", cause }, phase: "pending", nodeLost: null }, none)).toEqual({
      kind: "recoverable",
      cause,
    });
  });
});
