import type { PublishedHead } from "@moorage/bundle";
import type { DeliveryFacts } from "@moorage/local";
import { expect, test } from "vitest";
import { passageOf } from "./delivery-words.ts";
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
  ["on trial", trial, { kind: "underway", phase: "on trial: 0 of 1 turns, 4 s of 10 s", onTrial: true }],
  [
    "lived long enough, without a turn",
    { ...trial, trial: { turns: 0, turnsWanted: 1, baked: true } },
    { phase: "on trial: 0 of 1 turns, 10 s of 10 s" },
  ],
  ["confirmed", { ...confirmed, inUse: bundle(2) }, { kind: "confirmed", unproven: false }],
  ["unproven", { ...confirmed, inUse: bundle(2), unproven: true }, { kind: "confirmed", unproven: true }],
  ["brought back", back, { kind: "reverted", message: expect.stringContaining("ended with code 1") as string }],
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

test("a life in sentences says what is in use, what waits and what the channel has", () => {
  const head = (sequence: number): PublishedHead => ({ ...bundle(sequence), channel: confirmed.channel });
  const channel = { published: head(4), assigned: head(3), confirmed: head(1) };
  expect(lifeLines({ ...confirmed, next: { ...next, state: "fetched" } }, channel, 10_000, 0)).toEqual([
    "catalog 1 (00000000) is in use",
    "2 (00000000): fetched; not verified yet",
    "3 is given to its fleet, and it has not heard of it yet",
    "4 is published, and given to nobody yet: `moorage update apply` does it",
  ]);
  expect(lifeLines(back, { published: head(2), assigned: head(2), confirmed: head(1) }, 10_000, 0)).toEqual([
    "brought back on catalog 1 (00000000): 2 (00000000) failed: it ended with code 1",
    "2 (00000000): brought back: it ended with code 1; held back until another build",
  ]);
});

test("the column says what is in use and what comes", () => {
  expect(useCell(trial)).toBe("2 (00000000) on trial");
  expect(useCell({ ...confirmed, unproven: true, next: { ...next, state: "staged", waitsFor: "next start" } })).toBe(
    "1 (00000000) unproven → 2 at its next start",
  );
});
