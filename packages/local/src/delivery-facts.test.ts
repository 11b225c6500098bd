import type { CatalogUse, Life, LifeBundle } from "@moorage/core";
import { newLife, stepLife } from "@moorage/core";
import { describe, expect, it } from "vitest";
import { deliveryFacts } from "./delivery-facts.ts";

const target = { wireVersion: 1, eventLogSchema: 1, crdApiVersion: "moorage.dev/v1alpha1" };
const run = { buildId: "b1", target, takesPart: "socket", turns: 2, bakeMs: 10_000, check: false } as const;
const channel = { fleet: "writers", catalog: "main" };
const writtenAt = Date.parse("2026-01-01T00:00:00.000Z");
const at = writtenAt + 100;

function bundle(sequence: number): LifeBundle {
  return { digest: `sha256:${sequence}`, catalogHash: `v1:sha256:${sequence}`, sequence, target };
}

function plain(sequence: number): Omit<LifeBundle, "target"> {
  const { target: _target, ...rest } = bundle(sequence);
  return rest;
}

const good = { bundle: bundle(1), proof: "proven" } as const;
const why = { reason: "crash", detail: "exit code 3" } as const;

function life(changes: Partial<Life> = {}): Life {
  return { ...newLife(channel, run), use: { kind: "confirmed", ...good }, ...changes };
}

function factsOf(changes: Partial<Life> = {}): ReturnType<typeof deliveryFacts> {
  return deliveryFacts(life(changes), writtenAt, at);
}

const progress = { turns: 1, baked: true, checked: false };

describe("what is in use", () => {
  const rows: readonly (readonly [string, CatalogUse, object])[] = [
    ["nothing yet", { kind: "none" }, { state: "none", inUse: null, lastGood: null }],
    ["confirmed", { kind: "confirmed", ...good }, { state: "confirmed", inUse: plain(1), unproven: false }],
    ["lived only", { kind: "confirmed", bundle: bundle(1), proof: "unproven" }, { state: "confirmed", unproven: true }],
    [
      "on trial",
      { kind: "trial", bundle: bundle(2), nonce: null, lastGood: good, progress },
      {
        state: "trial",
        inUse: plain(2),
        lastGood: plain(1),
        trial: { turns: 1, turnsWanted: 2, baked: true },
        failed: null,
      },
    ],
    [
      "brought back",
      { kind: "returning", lastGood: good, failed: bundle(2), why },
      { state: "returning", inUse: plain(1), failed: { ...plain(2), ...why }, trial: null },
    ],
    [
      "ended",
      { kind: "ended", lastGood: null, failed: bundle(2), why },
      { state: "ended", inUse: null, lastGood: null, failed: { ...plain(2), ...why } },
    ],
  ];
  it.each(rows)("%s", (_name, use, expected) => {
    expect(factsOf({ use })).toMatchObject(expected);
  });
});

describe("what is on its way", () => {
  const offer = { digest: "sha256:2", catalogHash: "v1:sha256:2", sequence: 2, nonce: "n" };
  const staged = { bundle: bundle(2), nonce: "n", takesEffect: "turn", tries: 0, state: "staged" } as const;
  const waits = { ...staged, switching: false, refusedTurns: 0 };

  it("is nothing, or shown by its bundle and how far it got", () => {
    expect(factsOf().next).toBeNull();
    expect(factsOf({ next: { state: "fetched", offer, tries: 0 } }).next).toEqual({
      ...plain(2),
      state: "fetched",
      deferred: null,
      waitsFor: null,
    });
  });

  it("put off: why, and when it is tried again", () => {
    const from = { state: "offered", offer, tries: 3 } as const;
    expect(factsOf({ next: { state: "deferred", cause: "diskFull", from } }).next).toMatchObject({
      ...plain(2),
      state: "deferred",
      deferred: { cause: "diskFull", until: "2026-01-01T00:00:04.000Z", tries: 3 },
    });
  });

  it("staged: what it waits for, by how the agent takes part and by the rule of the change", () => {
    expect(factsOf({ next: waits }).next?.waitsFor).toBe("next turn");
    expect(factsOf({ next: { ...waits, takesEffect: "start" } }).next?.waitsFor).toBe("next start");
    const nothing = factsOf({ next: waits, run: { ...run, takesPart: "nothing" } });
    expect(nothing).toMatchObject({ takesPart: "nothing", next: { waitsFor: "next start" } });
  });
});

describe("what is held back", () => {
  it("a refusal by its axis has both values and no end; a revert has its reason and its end", () => {
    const other = { ...target, eventLogSchema: 2 };
    const manifest = { ...bundle(2), target: other, channel, parent: "sha256:1", rootVersion: 1, expiresAt: null };
    let after = life({ floor: { sequence: 1, digest: "sha256:1", rootVersion: 1 } });
    for (const event of [
      { kind: "offered", offer: { ...plain(2), nonce: "n" } },
      { kind: "fetched", digest: "sha256:2" },
      { kind: "checked", manifest, takesEffect: "turn" },
    ] as const)
      after = stepLife(after, { ...event, at }).life;
    const trial = { kind: "trial", bundle: bundle(3), nonce: null, lastGood: good, progress } as const;
    after = stepLife({ ...after, use: trial }, { kind: "faltered", ...why, at }).life;
    const facts = deliveryFacts(after, writtenAt, at);
    expect(facts).toMatchObject({ state: "returning", floor: 1 });
    expect(facts.heldBack).toEqual([
      {
        digest: "sha256:2",
        catalogHash: null,
        buildId: "b1",
        reason: "incompatible",
        detail: expect.stringContaining("event-log schema"),
        axis: { name: "eventLogSchema", expected: "2", actual: "1" },
        until: null,
      },
      {
        digest: "sha256:3",
        catalogHash: "v1:sha256:3",
        buildId: "b1",
        ...why,
        axis: null,
        until: "2026-01-02T00:00:00.100Z",
      },
    ]);
    // Over, or of another build, it holds nothing back.
    expect(deliveryFacts(after, writtenAt, at + 86_400_000).heldBack).toHaveLength(1);
    expect(deliveryFacts({ ...after, run: { ...run, buildId: "b2" } }, writtenAt, at).heldBack).toEqual([]);
  });
});
