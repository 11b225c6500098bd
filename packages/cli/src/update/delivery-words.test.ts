import type { DeliveryFacts } from "@moorage/local";
import { expect, test } from "vitest";
import type { ChannelState } from "./channel-state.ts";
import { passageOf, trialText } from "./delivery-words.ts";
import { lifeLines, useCell } from "./life-text.ts";

const bundle = (sequence: number): { sequence: number; catalogHash: string; digest: string } => ({
  sequence,
  catalogHash: `v1:sha256:${String(sequence).padStart(64, "0")}`,
  digest: `sha256:${String(sequence).padStart(64, "0")}`,
});

const confirmed: DeliveryFacts = {
  channel: { fleet: "writers", catalog: "prompts" },
  takesPart: "socket",
  floor: 1,
  state: "confirmed",
  inUse: bundle(1),
  unproven: false,
  trial: null,
  lastGood: bundle(1),
  failed: null,
  next: null,
  heldBack: [],
};

const trial: DeliveryFacts = {
  ...confirmed,
  state: "trial",
  inUse: bundle(2),
  trial: { turns: 0, turnsWanted: 1, baked: false },
};
const held = {
  digest: bundle(2).digest,
  catalogHash: bundle(2).catalogHash,
  buildId: "b",
  reason: "crash",
  detail: "it ended with code 1",
  axis: null,
  until: null,
} as const;
const back: DeliveryFacts = {
  ...confirmed,
  state: "returning",
  failed: { ...bundle(2), reason: "crash", detail: "it ended with code 1" },
  heldBack: [held],
};
const next = { ...bundle(2), deferred: null, waitsFor: null } as const;
const later = new Date(0).toISOString();

const ways: readonly (readonly [string, DeliveryFacts | null, object])[] = [
  ["nothing is known", null, { kind: "underway", phase: "waits for its supervisor" }],
  ["not told yet", confirmed, { kind: "underway", phase: "told; not fetched yet" }],
  ["fetched", { ...confirmed, next: { ...next, state: "fetched" } }, { phase: "fetched; not verified yet" }],
  [
    "staged",
    { ...confirmed, next: { ...next, state: "staged", waitsFor: "next turn" } },
    { kind: "underway", phase: "staged: waits for its next turn" },
  ],
  [
    "staged for a start",
    { ...confirmed, next: { ...next, state: "staged", waitsFor: "next start" } },
    { kind: "nextStart" },
  ],
  [
    "put off",
    { ...confirmed, next: { ...next, state: "deferred", deferred: { cause: "notNow", until: later, tries: 1 } } },
    { phase: expect.stringContaining('"not now": put off until') as string },
  ],
  ["on trial", trial, { kind: "underway", phase: "on trial: 0 of 1 turn, 4 s of 10 s", onTrial: true }],
  [
    "lived long enough, without a turn",
    { ...trial, trial: { turns: 0, turnsWanted: 1, baked: true } },
    { phase: "on trial: 0 of 1 turn, 10 s of 10 s" },
  ],
  ["confirmed", { ...confirmed, inUse: bundle(2) }, { kind: "confirmed", unproven: false }],
  ["unproven", { ...confirmed, inUse: bundle(2), unproven: true }, { kind: "confirmed", unproven: true }],
  ["brought back", back, { kind: "reverted", message: expect.stringContaining("ended with code 1") as string }],
  [
    "ended, with nothing to come back on",
    { ...back, state: "ended", inUse: null, lastGood: null, heldBack: [] },
    {
      kind: "reverted",
      ended: true,
      message: "it ended with code 1; nothing was confirmed before, so there was nothing to come back on",
    },
  ],
  [
    "refused by its axis",
    {
      ...confirmed,
      heldBack: [
        {
          ...held,
          catalogHash: null,
          reason: "incompatible",
          detail: "no",
          axis: { name: "wireVersion", expected: "4", actual: "3" },
        },
      ],
    },
    {
      kind: "refused",
      code: "refused.incompatible",
      message: "refused: no (the bundle has 4, the build 3); held back until another build",
    },
  ],
  ["a later one came", { ...confirmed, inUse: bundle(3) }, { kind: "superseded", by: 3 }],
  [
    "a later one is on its way",
    { ...confirmed, next: { ...next, ...bundle(3), state: "fetched" } },
    { kind: "superseded", by: 3 },
  ],
];

test.each(ways)("%s", (_name, facts, expected) => {
  expect(passageOf(facts, bundle(2), { trialMs: 4_200, bakeMs: 10_000, now: 0 })).toMatchObject(expected);
});

const channel: ChannelState = {
  published: bundle(4),
  assigned: bundle(3),
  confirmed: bundle(1),
  numbers: new Map([1, 2, 3, 4].map((sequence) => [bundle(sequence).digest, sequence] as const)),
};
const beside = { channel, bakeMs: 10_000, runs: true };

test("a life in sentences says what is in use, what waits and what the channel has", () => {
  expect(lifeLines({ ...confirmed, next: { ...next, state: "fetched" } }, beside, 0)).toEqual([
    "catalog 1 (00000000) is in use",
    "2 (00000000): fetched; not verified yet",
    "3 is given to its fleet, and it has not heard of it yet",
    "4 is published, and given to nobody yet: `moorage update apply` gives it to the fleet",
  ]);
  const second = { ...channel, published: bundle(2), assigned: bundle(2) };
  expect(lifeLines(back, { ...beside, channel: second }, 0)).toEqual([
    "brought back on catalog 1 (00000000): 2 (00000000) failed: it ended with code 1",
    "2 (00000000): brought back: it ended with code 1; held back until another build",
  ]);
});

test("what is held back is neither news nor to be given again, whatever its number is now", () => {
  const again = { ...bundle(3), catalogHash: bundle(2).catalogHash };
  const facts: DeliveryFacts = { ...confirmed, heldBack: [held] };
  const lines = [
    "catalog 1 (00000000) is in use",
    "2 (00000000): brought back: it ended with code 1; held back until another build",
  ];
  expect(lifeLines(facts, { ...beside, channel: { ...channel, assigned: again, published: again } }, 0)).toEqual(lines);
  expect(lifeLines(facts, { ...beside, channel: { ...channel, assigned: null, published: again } }, 0)).toEqual(lines);
});

test("what one agent tries alone is given to that one", () => {
  const only = { ...channel, published: bundle(2), assigned: bundle(1) };
  expect(lifeLines(confirmed, { ...beside, channel: only, triedBy: ["one"] }, 0)).toContain(
    "2 is published, and given to one alone: `moorage update apply` gives it to the fleet",
  );
});

test("what an agent that has ended used was in use", () => {
  const ended = { ...beside, runs: false, channel: { ...channel, published: bundle(3) } };
  expect(lifeLines(confirmed, ended, 0)).toEqual([
    "catalog 1 (00000000) was in use",
    "3 is given to its fleet: its next start uses it",
  ]);
});

test.each([
  [{ turns: 0, turnsWanted: 1, baked: false }, 10_000, "on trial for 10 s: 0 of 1 turn done"],
  [{ turns: 1, turnsWanted: 2, baked: true }, 10_000, "on trial, its 10 s are over: 1 of 2 turns done"],
  [{ turns: 0, turnsWanted: 0, baked: false }, 10_000, "on trial for 10 s"],
  [{ turns: 0, turnsWanted: 1, baked: true }, 0, "on trial: 0 of 1 turn done"],
])("where nobody counts the seconds, a trial of %j in %d ms is told once", (progress, bakeMs, text) => {
  expect(trialText({ ...trial, trial: progress }, null, bakeMs)).toBe(text);
});

test("the column says what is in use and what comes", () => {
  expect(useCell(trial)).toBe("2 (00000000) on trial");
  expect(useCell({ ...confirmed, unproven: true, next: { ...next, state: "staged", waitsFor: "next start" } })).toBe(
    "1 (00000000) unproven → 2 at its next start",
  );
});
