import fc from "fast-check";
import { expect, it } from "vitest";
import type { Run } from "./life.ts";
import { ModelHarness, type Nature } from "./model-harness.fixture.ts";

type Act =
  | { readonly kind: "publish"; readonly content: number; readonly nature: Nature }
  | { readonly kind: "work"; readonly which: number; readonly well: boolean }
  | { readonly kind: "light"; readonly fuse: number }
  | { readonly kind: "disk"; readonly full: boolean }
  | { readonly kind: "turn" | "boundary" | "notNow" | "stop" | "start" | "kill" | "offer" };

const natures = fc.constantFrom<Nature>("good", "good", "bad", "slow", "broken", "misfit");
const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("publish" as const), content: fc.nat(3), nature: natures }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("work" as const), which: fc.nat(4), well: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("light" as const), fuse: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("disk" as const), full: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom("turn", "turn", "boundary", "notNow", "stop", "start", "start", "kill", "offer")
      .map((kind): Act => ({ kind })),
  },
);
const takesPart = fc.constantFrom<Run["takesPart"]>("socket", "files", "nothing");

function perform(harness: ModelHarness, act: Act): void {
  switch (act.kind) {
    case "publish":
      return harness.publish(act.content, act.nature);
    case "work":
      return harness.work(act.which, act.well);
    case "light":
      return harness.light(act.fuse);
    case "disk":
      harness.full = act.full;
      return undefined;
    case "turn":
    case "boundary":
    case "notNow":
    case "stop":
    case "start":
    case "kill":
    case "offer":
      return harness[act.kind]();
    default:
      return act satisfies never;
  }
}

/** Nothing goes wrong any more, and a person starts what ended. */
function settle(harness: ModelHarness): void {
  harness.full = false;
  harness.light(Number.POSITIVE_INFINITY);
  for (let round = 0; round < 12; round += 1) {
    harness.start();
    for (let at = 0; at < 20 && harness.busy; at += 1) harness.work(0, true);
    harness.turn();
    if (round % 4 === 3) harness.stop();
  }
  harness.start();
  for (let at = 0; at < 20 && harness.busy; at += 1) harness.work(0, true);
}

it("whatever happens: one state, never what must not be used, and a restart changes nothing", () => {
  fc.assert(
    fc.property(takesPart, fc.array(acts, { maxLength: 80 }), (how, all) => {
      const harness = new ModelHarness(how);
      harness.start();
      for (const act of all) perform(harness, act);
      expect(harness.faults).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

it("any sequence of bundles, each left to settle, ends healthy on the newest good one", () => {
  const sequence = fc.array(fc.record({ content: fc.nat(3), nature: natures }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(takesPart, sequence, (how, bundles) => {
      const harness = new ModelHarness(how);
      harness.publish(9, "good");
      harness.start();
      settle(harness);
      let newest = 0;
      for (const [at, { content, nature }] of bundles.entries()) {
        harness.publish(content, nature);
        settle(harness);
        if (nature === "good" || nature === "slow") newest = at + 1;
        expect(harness.life.use).toMatchObject({ kind: "confirmed", bundle: { digest: `d${newest + 1}` } });
        expect(harness.running).not.toBeNull();
      }
      expect(harness.faults).toEqual([]);
    }),
    { numRuns: 80 },
  );
});

it("whatever happened before, a good bundle ends up confirmed and acknowledged", () => {
  fc.assert(
    fc.property(takesPart, fc.array(acts, { maxLength: 60 }), (how, all) => {
      const harness = new ModelHarness(how);
      harness.start();
      for (const act of all) perform(harness, act);
      harness.publish(7, "good");
      settle(harness);
      const newest = harness.published.at(-1);
      expect(harness.life.use).toMatchObject({ kind: "confirmed", bundle: { digest: newest?.digest } });
      expect(harness.answers.filter(({ digest }) => digest === newest?.digest).at(-1)?.verdict).toBe("ack");
      expect(harness.faults).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
