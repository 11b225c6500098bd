import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bareFloor,
  decidePublish,
  type Floor,
  type Head,
  judgeManifest,
  longestJump,
  type ManifestFacts,
  type OrderFault,
} from "./channel.ts";
import { runtimeTargetOf } from "./fingerprint.ts";
import { build, hashOf } from "./fingerprints.fixture.ts";

const channel = { fleet: "writers", catalog: "main" };
const floor: Floor = { sequence: 4, digest: "d4", rootVersion: 2 };
const at = 1_000;

function manifest(changes: Partial<ManifestFacts> = {}): ManifestFacts {
  return {
    channel,
    sequence: 5,
    parent: "d4",
    digest: "d5",
    target: runtimeTargetOf(build()),
    catalogHash: hashOf("b"),
    rootVersion: 2,
    expiresAt: null,
    ...changes,
  };
}

describe("what an agent accepts", () => {
  it("is the next of its channel, and the floor rises", () => {
    expect(judgeManifest(channel, floor, manifest(), at)).toEqual({
      kind: "accept",
      floor: { sequence: 5, digest: "d5", rootVersion: 2 },
    });
  });

  it("may be one that it has not seen the parent of", () => {
    expect(judgeManifest(channel, floor, manifest({ sequence: 9, parent: "d8" }), at).kind).toBe("accept");
    expect(judgeManifest(channel, bareFloor, manifest(), at).kind).toBe("accept");
    expect(judgeManifest(channel, bareFloor, manifest({ sequence: 1, parent: null }), at).kind).toBe("accept");
    expect(judgeManifest(channel, { ...floor, digest: null }, manifest(), at).kind).toBe("accept");
  });

  const refused: [string, Partial<ManifestFacts>, OrderFault][] = [
    ["another fleet's", { channel: { fleet: "readers", catalog: "main" } }, "otherChannel"],
    ["another catalog's", { channel: { fleet: "writers", catalog: "beta" } }, "otherChannel"],
    ["an older one", { sequence: 3, digest: "d3", parent: "d2" }, "rollback"],
    ["another one with the same sequence", { sequence: 4, digest: "other", parent: "d3" }, "equivocation"],
    ["one of an older trust root", { rootVersion: 1 }, "rootRollback"],
    ["one with another parent", { parent: "other" }, "parent"],
    ["a later one without a parent", { sequence: 7, parent: null }, "parent"],
    ["the largest number", { sequence: Number.MAX_SAFE_INTEGER }, "jump"],
    ["one jump too far", { sequence: 5 + longestJump }, "jump"],
    ["zero", { sequence: 0 }, "sequence"],
    ["no number", { sequence: Number.NaN }, "sequence"],
    ["an expired one", { expiresAt: at }, "expired"],
  ];
  it.each(refused)("is not %s", (_, changes, fault) => {
    expect(judgeManifest(channel, floor, manifest(changes), at)).toEqual({ kind: "refuse", fault });
  });

  it("a first one has no parent", () => {
    expect(judgeManifest(channel, bareFloor, manifest({ sequence: 1 }), at)).toMatchObject({ fault: "parent" });
  });

  it("expiry decides about accepting, never about what was accepted", () => {
    const known = manifest({ sequence: 4, digest: "d4", parent: "d3", expiresAt: 1 });
    expect(judgeManifest(channel, floor, known, at)).toEqual({ kind: "known" });
    expect(judgeManifest(channel, floor, manifest({ expiresAt: at + 1 }), at).kind).toBe("accept");
  });

  it("the floor never sinks, whatever comes in whatever order", () => {
    const manifests = fc.record({
      sequence: fc.integer({ min: -2, max: 8 }),
      digest: fc.constantFrom("d4", "x", "y"),
      parent: fc.constantFrom(null, "d4", "x"),
      rootVersion: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(manifests), (all) => {
        let now = floor;
        for (const changes of all) {
          const verdict = judgeManifest(channel, now, manifest(changes), at);
          if (verdict.kind !== "accept") continue;
          expect(verdict.floor.sequence).toBeGreaterThanOrEqual(now.sequence);
          expect(verdict.floor.rootVersion).toBeGreaterThanOrEqual(now.rootVersion);
          if (verdict.floor.sequence === now.sequence) expect(verdict.floor.digest).toBe(now.digest);
          now = verdict.floor;
        }
      }),
    );
  });
});

describe("publishing", () => {
  const head: Head = { sequence: 4, digest: "d4" };

  it("is a compare-and-swap on the parent", () => {
    expect(decidePublish(channel, head, manifest())).toEqual({ kind: "publish", head: { sequence: 5, digest: "d5" } });
    expect(decidePublish(channel, null, manifest({ sequence: 1, parent: null })).kind).toBe("publish");
  });

  it("of the head again is no second one", () => {
    expect(decidePublish(channel, { sequence: 5, digest: "d5" }, manifest())).toEqual({ kind: "already" });
  });

  it.each<[string, Head, Partial<ManifestFacts>, string]>([
    ["somebody else was faster", { sequence: 5, digest: "other" }, {}, "lost"],
    ["somebody else was much faster", { sequence: 9, digest: "d9" }, {}, "lost"],
    ["somebody else published the first", { sequence: 1, digest: "d1" }, { sequence: 1, parent: null }, "lost"],
    ["the channel is gone", null, {}, "lost"],
    ["a sequence is left out", head, { sequence: 6 }, "refuse"],
    ["a sequence is used again", head, { sequence: 4 }, "refuse"],
    ["the first is not 1", null, { sequence: 2, parent: null }, "refuse"],
    ["another channel", head, { channel: { fleet: "readers", catalog: "main" } }, "refuse"],
  ])("is refused when %s", (_, now, changes, kind) => {
    expect(decidePublish(channel, now, manifest(changes)).kind).toBe(kind);
  });

  it("of many on one parent has one winner, and one line of sequences", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { maxLength: 30 }), (parents) => {
        const line: NonNullable<Head>[] = [];
        for (const [at, back] of parents.entries()) {
          const parent = line[line.length - 1 - back] ?? null;
          const made = manifest({
            sequence: (parent?.sequence ?? 0) + 1,
            parent: parent?.digest ?? null,
            digest: `m${at}`,
          });
          const verdict = decidePublish(channel, line.at(-1) ?? null, made);
          if (verdict.kind === "publish") line.push(verdict.head);
          else expect(verdict).toEqual({ kind: "lost", head: line.at(-1) ?? null });
        }
        expect(line.map(({ sequence }) => sequence)).toEqual(line.map((_, index) => index + 1));
      }),
    );
  });
});
